// The bytes of a file, all there to be looked at, of which only those looked at are read. What they mean is
// read elsewhere.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "files/source.hpp"

namespace attn {

class FileBytes {
public:
    // Maps a file into memory. What is none, such as a pipe or "-", standard input, is read at once. Throws
    // Error as read_source() does.
    explicit FileBytes(const std::string& path, InputLimit limit = {});
    ~FileBytes();
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    std::string_view view() const { return view_; }
    // The same for what is no more than text, and so read at once: throws Error for more bytes than
    // read_source() reads.
    std::string_view text() const;
    // Throws Error when so many bytes, which what is here makes when inflated, are more than the limit given.
    void require_within_limit(std::uint64_t size) const;

private:
    std::string path_;
    InputLimit limit_;
    void* mapped_ = nullptr;
    std::string read_;
    std::string_view view_;
};

}  // namespace attn
