#include "answers/answers.hpp"
#include "answers/page_export.hpp"
#include "views/document/blocks.hpp"
#include "views/document/csv.hpp"
#include "views/heatmap/heatmap_svg.hpp"

namespace attn {

std::span<const FileFormat> formats() {
    static constexpr FileFormat rows[] = {
        {.suffix = ".json", .write = write_json},
        {.suffix = ".npz", .write = write_npz, .is_binary = true},
        {.suffix = ".safetensors", .write = write_safetensors, .is_binary = true},
        {.suffix = ".html", .write = write_html},
        {.suffix = ".ipynb",
         .write = write_walkthrough<write_ipynb>,
         .require = require_python,
         .write_sheet = write_ipynb},
        {.suffix = ".py", .write = write_walkthrough<write_python>, .require = require_python},
        {.suffix = ".cpp", .write = write_walkthrough<write_cpp>, .require = require_cpp},
        {.suffix = ".md", .write = write_walkthrough<write_markdown>, .write_sheet = write_markdown},
        {.suffix = ".tex", .write = write_walkthrough<write_latex>, .write_sheet = write_latex},
        {.suffix = ".csv", .write = write_csv, .require = require_one_step},
        {.suffix = ".svg", .write = write_svg, .require = require_picture},
    };
    return rows;
}

}  // namespace attn
