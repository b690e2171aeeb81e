// A document that a user hands in: its code and its outputs in order, each with its place. notebook_file.cpp,
// markdown.cpp, session.cpp and script.cpp read one format each. printed/reader.hpp reads the tensors of an
// output, and settings.hpp the settings in the code. Nothing is executed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_file.hpp"
#include "printed/tensor.hpp"
#include "text/message.hpp"

namespace attn {

inline constexpr std::size_t max_document_items = 100'000;

// A line of a document. In notebooks, lines are counted within the source of a cell or within one output;
// elsewhere, within the file.
struct Place {
    std::string file{};
    std::optional<std::size_t> cell{};  // the cell's index in the notebook's JSON, from 0
    std::optional<std::size_t> execution_count{};
    std::size_t output = 0;               // the index of the output in its cell, from 0
    std::size_t line = 1;                 // counted from 1
    std::optional<std::size_t> tensor{};  // in a file of saved tensors: the index, from 0
};

// Names a place as its owner counts: "cell 14 [27]" for the cell with index 13 and execution count 27,
// because editors count all cells from 1. Without an execution count "cell 14"; in a file of saved tensors
// "tensor 2"; elsewhere "line 31".
Message place_text(const Place& place);

struct Item {
    enum class Kind {
        code,    // Python, without prompts; line magics of notebooks are kept
        output,  // printed text, or the value of the last line
        error,   // a traceback or the text of standard error
        prose,
    };

    Kind kind = Kind::prose;
    std::string text{};
    Place place{};                       // of the first line
    std::vector<PrintedTensor> saved{};  // the tensors of an output that is not a text, as in .npy files

    // A stream that the notebook saved in pieces is one item. This lists the pieces after the first.
    struct Piece {
        std::size_t line;    // the line of `text` where it begins, counted from 1
        std::size_t output;  // its index among the outputs of the cell
        bool begins_line;    // false if it begins in the middle of this line
    };
    std::vector<Piece> pieces{};

    // Returns the place of a line of `text`, counted from 1.
    Place place_of(std::size_t line) const;
};

struct Document {
    enum class Format { notebook, markdown, session, script, plain };

    std::string origin{};  // the file's name for messages
    Format format = Format::plain;
    std::vector<Item> items{};
};

// Reads a text of any of these formats. Text of an unknown format is one output, so that printed/reader.hpp
// finds its tensors. Throws Error for binary files, damaged notebooks, and text beyond the limits.
Document read_document(std::string_view bytes, std::string_view origin);

// Reads any file with numbers: a text as above, or each tensor of an .npy, .npz or .safetensors file as an
// output without code.
Document document_of(const Bytes& bytes, const std::string& origin);

}  // namespace attn
