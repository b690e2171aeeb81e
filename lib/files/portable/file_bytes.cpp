// Without maps a file is read at once.
#include "files/file_bytes.hpp"

#include <limits>

namespace attn {

FileBytes::FileBytes(const std::string& path, InputLimit limit)
    : path_(path),
      limit_(limit),
      read_(read_source(path, limit || !can_be_read_again(path)
                                  ? limit
                                  : InputLimit(std::numeric_limits<std::size_t>::max()))),
      view_(read_) {}

std::string_view FileBytes::text() const {
    require_readable_size(path_, view_.size(), limit_.value_or(default_max_input_bytes));
    return view_;
}

void FileBytes::require_within_limit(std::uint64_t size) const {
    if (limit_) {
        require_readable_size(path_, size, *limit_);
    }
}

FileBytes::~FileBytes() = default;

}  // namespace attn
