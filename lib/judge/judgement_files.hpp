// Files about judged documents: the notebook with a verdict under each judged cell, and reports of many
// documents with one row for each.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "judge/judgement_json.hpp"
#include "words/words.hpp"

namespace attn {

// Returns the notebook's own bytes, with one more output under each judged cell. Throws Error for notebooks
// before format 4.
std::string checked_notebook(std::string_view bytes, const JudgedDocument& judged, const Words& phrases);

std::string report_csv(std::span<const JudgedDocument> documents, const Words& phrases);
std::string report_markdown(std::span<const JudgedDocument> documents, const Words& phrases);
std::string report_html(std::span<const JudgedDocument> documents, const Words& phrases);

}  // namespace attn
