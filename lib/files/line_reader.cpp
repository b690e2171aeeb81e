// Cuts what comes in at its line ends, and keeps the rest for the next call.
#include "files/line_reader.hpp"

#include <algorithm>

namespace attn {

std::optional<std::string> LineReader::next() {
    buffer_.erase(0, at_);
    at_ = 0;
    std::size_t end = buffer_.find('\n');
    while (end == std::string::npos) {
        const std::size_t had = buffer_.size();
        if (!input_.read(buffer_)) {
            end = buffer_.size();
            if (end == 0 || input_.is_interrupted()) {
                return std::nullopt;
            }
            at_ = end;
            return buffer_.substr(0, max_line_bytes);  // the last line has no end
        }
        end = buffer_.find('\n', had);
        if (end == std::string::npos && buffer_.size() > 2 * max_line_bytes) {
            buffer_.resize(max_line_bytes);  // what is behind will not be looked at
        }
    }
    at_ = end + 1;
    std::string line = buffer_.substr(0, std::min(end, max_line_bytes));
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    return line;
}

}  // namespace attn
