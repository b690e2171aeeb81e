// Instantiates std::ifstream, which CLI11 uses for configuration files, because the C++ library for WASI only
// declares it.
#include <fstream>

template class std::basic_filebuf<char>;
template class std::basic_ifstream<char>;
