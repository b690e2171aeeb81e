// A .npy is one array, a .npz a ZIP file of them. An array's numbers are read when they are asked for.
#include <fmt/format.h>

#include "files/npy.hpp"
#include "files/tensor_file_reader.hpp"
#include "files/zip.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

namespace {

class NpyFile : public TensorFile {
public:
    NpyFile(Bytes bytes, const std::string& origin)
        : TensorFile(origin), bytes_(std::move(bytes)), header_(read_npy_header(*bytes_, printable(origin))) {
        require_npy_size(bytes_->size(), header_, printable(origin));
        add({"", header_.sizes});
    }

    Tensor read(const TensorEntry& entry, Contents contents) const override {
        const Shape shape = require_readable(header_.type, header_.type_name, entry, contents, origin());
        std::string buffer;
        const std::string_view numbers =
            in_row_major_order(std::string_view(*bytes_).substr(header_.length), header_, buffer);
        return decode(numbers, header_.type, shape, entry, contents, origin());
    }

private:
    Bytes bytes_;
    NpyHeader header_;
};

class NpzFile : public TensorFile {
public:
    NpzFile(Bytes bytes, const std::string& origin)
        : TensorFile(origin), bytes_(std::move(bytes)), members_(read_zip(*bytes_, origin)) {
        std::erase_if(members_, [](const ZipMember& member) { return !member.name.ends_with(suffix); });
        if (members_.empty()) {
            throw Error(
                "{}: is a ZIP file without a .npy in it; if it is PyTorch's (.pt), which holds a pickle, it "
                "is never read: save the tensors as .safetensors or with numpy.savez.",
                printable(origin));
        }
        for (const ZipMember& member : members_) {
            headers_.push_back(
                read_npy_header(beginning(member, npy_preamble + max_npy_header), place(member)));
            add({member.name.substr(0, member.name.size() - suffix.size()), headers_.back().sizes});
        }
    }

    Tensor read(const TensorEntry& entry, Contents contents) const override {
        const auto i = static_cast<std::size_t>(&entry - entries().data());
        const ZipMember& member = members_[i];
        const NpyHeader& header = headers_[i];
        // All that can be wrong is found before anything is inflated.
        const Shape shape = require_readable(header.type, header.type_name, entry, contents, origin());
        require_npy_size(member.size, header, place(member));
        const std::string npy = content(member, origin());
        std::string buffer;
        const std::string_view numbers =
            in_row_major_order(std::string_view(npy).substr(header.length), header, buffer);
        return decode(numbers, header.type, shape, entry, contents, origin());
    }

private:
    static constexpr std::string_view suffix = ".npy";

    std::string place(const ZipMember& member) const {
        return fmt::format("{}: at {}", printable(origin()), in_quotes(member.name));
    }

    Bytes bytes_;
    std::vector<ZipMember> members_;
    std::vector<NpyHeader> headers_;
};

}  // namespace

std::shared_ptr<const TensorFile> open_npy(const Bytes& bytes, const std::string& origin) {
    return std::make_shared<NpyFile>(bytes, origin);
}

std::shared_ptr<const TensorFile> open_npz(const Bytes& bytes, const std::string& origin) {
    return std::make_shared<NpzFile>(bytes, origin);
}

}  // namespace attn
