// A name that the library has, too.
inline constexpr bool of_the_consumer = true;
