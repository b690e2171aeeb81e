#include "views/document/python.hpp"

#include <fmt/format.h>

namespace attn {

namespace {

struct PythonWriter {
    std::string operator()(const Heading& heading) const { return fmt::format("# {}\n", heading.text); }
    std::string operator()(const Code& code) const { return code.cell.statement + "\n\n"; }
    std::string operator()(const auto& /*without code*/) const { return ""; }
};

}  // namespace

void write_python(const WriteBytes& write, const Blocks& blocks, const Style& /*style*/) {
    for (const Block& block : blocks) {
        write(std::visit(PythonWriter{}, block));
    }
}

}  // namespace attn
