// The library has a header of this name, too.
inline constexpr bool of_the_consumer = true;
