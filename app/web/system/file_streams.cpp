// What CLI11 would read a configuration file with, which the library is told to have and has not.
#include <fstream>

template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
