#include "files/tensor_file_reader.hpp"

#include "files/npy.hpp"
#include "files/safetensors.hpp"
#include "tensor/error.hpp"
#include "text/printable.hpp"

namespace attn {

std::shared_ptr<const TensorFile> open_tensor_file(const Bytes& bytes, const std::string& origin) {
    const std::string_view view = *bytes;
    if (view.size() > 1 && view[0] == '\x80' && view[1] >= 2 && view[1] <= 5) {
        throw Error(
            "{}: a pickle, which is never read, because reading one runs its code; save the tensors as "
            ".safetensors or with numpy.savez.",
            printable(origin));
    }
    if (view.starts_with(npy_magic)) {
        return open_npy(bytes, origin);
    }
    if (view.starts_with("PK\3\4") || view.starts_with("PK\5\6")) {  // the latter has no members
        return open_npz(bytes, origin);
    }
    if (is_safetensors(view) || origin.ends_with(".safetensors")) {
        return open_safetensors(bytes, origin);
    }
    // Damaged files say so; other bytes are left to JSON.
    return origin.ends_with(".npy")   ? open_npy(bytes, origin)
           : origin.ends_with(".npz") ? open_npz(bytes, origin)
                                      : nullptr;
}

}  // namespace attn
