// The texts of JSONTestSuite, github.com/nst/JSONTestSuite at 1ef36fa01286573e846ac449e8683f8833c5b26a, with
// their names: y_ is JSON, n_ is not, and i_ may be refused. Two texts of 100,000 and more brackets are left
// out.
//
// MIT License
//
// Copyright (c) 2016 Nicolas Seriot
//
// Permission is hereby granted, free of charge, to any person obtaining a copy
// of this software and associated documentation files (the "Software"), to deal
// in the Software without restriction, including without limitation the rights
// to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
// copies of the Software, and to permit persons to whom the Software is
// furnished to do so, subject to the following conditions:
//
// The above copyright notice and this permission notice shall be included in all
// copies or substantial portions of the Software.
//
// THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
// IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
// FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
// AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
// LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
// OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
// SOFTWARE.
#pragma once

#include <string_view>

namespace attn {

// clang-format off
using namespace std::string_view_literals;
// These are read. Of the texts that a parser may refuse, these are numbers that only lose digits, and a byte
// order mark.
inline constexpr std::string_view json_read[] = {
    "[123.456e-789]"sv,  // i_number_double_huge_neg_exp
    "[123e-10000000]"sv,  // i_number_real_underflow
    "[-123123123123123123123123123123]"sv,  // i_number_too_big_neg_int
    "[100000000000000000000]"sv,  // i_number_too_big_pos_int
    "[-237462374673276894279832749832423479823246327846]"sv,  // i_number_very_big_negative_int
    "\357\273\277{}"sv,  // i_structure_UTF-8_BOM_empty_object
    "[[]   ]"sv,  // y_array_arraysWithSpaces
    "[\"\"]"sv,  // y_array_empty-string
    "[]"sv,  // y_array_empty
    "[\"a\"]"sv,  // y_array_ending_with_newline
    "[false]"sv,  // y_array_false
    "[null, 1, \"1\", {}]"sv,  // y_array_heterogeneous
    "[null]"sv,  // y_array_null
    "[1\n]"sv,  // y_array_with_1_and_newline
    " [1]"sv,  // y_array_with_leading_space
    "[1,null,null,null,2]"sv,  // y_array_with_several_null
    "[2] "sv,  // y_array_with_trailing_space
    "[123e65]"sv,  // y_number
    "[0e+1]"sv,  // y_number_0e+1
    "[0e1]"sv,  // y_number_0e1
    "[ 4]"sv,  // y_number_after_space
    // y_number_double_close_to_zero
    "[-0.00000000000000000000000000000000000000000000000000000000"
    "0000000000000000000001]\n"sv,
    "[20e1]"sv,  // y_number_int_with_exp
    "[-0]"sv,  // y_number_minus_zero
    "[-123]"sv,  // y_number_negative_int
    "[-1]"sv,  // y_number_negative_one
    "[-0]"sv,  // y_number_negative_zero
    "[1E22]"sv,  // y_number_real_capital_e
    "[1E-2]"sv,  // y_number_real_capital_e_neg_exp
    "[1E+2]"sv,  // y_number_real_capital_e_pos_exp
    "[123e45]"sv,  // y_number_real_exponent
    "[123.456e78]"sv,  // y_number_real_fraction_exponent
    "[1e-2]"sv,  // y_number_real_neg_exp
    "[1e+2]"sv,  // y_number_real_pos_exponent
    "[123]"sv,  // y_number_simple_int
    "[123.456789]"sv,  // y_number_simple_real
    "{\"asd\":\"sdf\", \"dfg\":\"fgh\"}"sv,  // y_object
    "{\"asd\":\"sdf\"}"sv,  // y_object_basic
    "{}"sv,  // y_object_empty
    "{\"\":0}"sv,  // y_object_empty_key
    "{\"foo\\u0000bar\": 42}"sv,  // y_object_escaped_null_in_key
    "{ \"min\": -1.0e+28, \"max\": 1.0e+28 }"sv,  // y_object_extreme_numbers
    // y_object_long_strings
    "{\"x\":[{\"id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}], \""
    "id\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}"sv,
    "{\"a\":[]}"sv,  // y_object_simple
    // y_object_string_unicode
    "{\"title\":\"\\u041f\\u043e\\u043b\\u0442\\u043e\\u0440\\u0430 \\u0417\\"
    "u0435\\u043c\\u043b\\u0435\\u043a\\u043e\\u043f\\u0430\" }"sv,
    "{\n\"a\": \"b\"\n}"sv,  // y_object_with_newlines
    "[\"\\u0060\\u012a\\u12AB\"]"sv,  // y_string_1_2_3_bytes_UTF-8_sequences
    "[\"\\uD801\\udc37\"]"sv,  // y_string_accepted_surrogate_pair
    "[\"\\ud83d\\ude39\\ud83d\\udc8d\"]"sv,  // y_string_accepted_surrogate_pairs
    "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"]"sv,  // y_string_allowed_escapes
    "[\"\\\\u0000\"]"sv,  // y_string_backslash_and_u_escaped_zero
    "[\"\\\"\"]"sv,  // y_string_backslash_doublequotes
    "[\"a/*b*/c/*d//e\"]"sv,  // y_string_comments
    "[\"\\\\a\"]"sv,  // y_string_double_escape_a
    "[\"\\\\n\"]"sv,  // y_string_double_escape_n
    "[\"\\u0012\"]"sv,  // y_string_escaped_control_character
    "[\"\\uFFFF\"]"sv,  // y_string_escaped_noncharacter
    "[\"asd\"]"sv,  // y_string_in_array
    "[ \"asd\"]"sv,  // y_string_in_array_with_leading_space
    "[\"\\uDBFF\\uDFFF\"]"sv,  // y_string_last_surrogates_1_and_2
    "[\"new\\u00A0line\"]"sv,  // y_string_nbsp_uescaped
    "[\"\364\217\277\277\"]"sv,  // y_string_nonCharacterInUTF-8_U+10FFFF
    "[\"\357\277\277\"]"sv,  // y_string_nonCharacterInUTF-8_U+FFFF
    "[\"\\u0000\"]"sv,  // y_string_null_escape
    "[\"\\u002c\"]"sv,  // y_string_one-byte-utf-8
    "[\"\317\200\"]"sv,  // y_string_pi
    "[\"\360\233\277\277\"]"sv,  // y_string_reservedCharacterInUTF-8_U+1BFFF
    "[\"asd \"]"sv,  // y_string_simple_ascii
    "\" \""sv,  // y_string_space
    "[\"\\uD834\\uDd1e\"]"sv,  // y_string_surrogates_U+1D11E_MUSICAL_SYMBOL_G_CLEF
    "[\"\\u0821\"]"sv,  // y_string_three-byte-utf-8
    "[\"\\u0123\"]"sv,  // y_string_two-byte-utf-8
    "[\"\342\200\250\"]"sv,  // y_string_u+2028_line_sep
    "[\"\342\200\251\"]"sv,  // y_string_u+2029_par_sep
    "[\"\\u0061\\u30af\\u30EA\\u30b9\"]"sv,  // y_string_uEscape
    "[\"new\\u000Aline\"]"sv,  // y_string_uescaped_newline
    "[\"\177\"]"sv,  // y_string_unescaped_char_delete
    "[\"\\uA66D\"]"sv,  // y_string_unicode
    "[\"\\u005C\"]"sv,  // y_string_unicodeEscapedBackslash
    "[\"\342\215\202\343\210\264\342\215\202\"]"sv,  // y_string_unicode_2
    "[\"\\uDBFF\\uDFFE\"]"sv,  // y_string_unicode_U+10FFFE_nonchar
    "[\"\\uD83F\\uDFFE\"]"sv,  // y_string_unicode_U+1FFFE_nonchar
    "[\"\\u200B\"]"sv,  // y_string_unicode_U+200B_ZERO_WIDTH_SPACE
    "[\"\\u2064\"]"sv,  // y_string_unicode_U+2064_invisible_plus
    "[\"\\uFDD0\"]"sv,  // y_string_unicode_U+FDD0_nonchar
    "[\"\\uFFFE\"]"sv,  // y_string_unicode_U+FFFE_nonchar
    "[\"\\u0022\"]"sv,  // y_string_unicode_escaped_double_quote
    "[\"\342\202\254\360\235\204\236\"]"sv,  // y_string_utf8
    "[\"a\177a\"]"sv,  // y_string_with_del_character
    "false"sv,  // y_structure_lonely_false
    "42"sv,  // y_structure_lonely_int
    "-0.1"sv,  // y_structure_lonely_negative_real
    "null"sv,  // y_structure_lonely_null
    "\"asd\""sv,  // y_structure_lonely_string
    "true"sv,  // y_structure_lonely_true
    "\"\""sv,  // y_structure_string_empty
    "[\"a\"]\n"sv,  // y_structure_trailing_newline
    "[true]"sv,  // y_structure_true_in_array
    " [] "sv,  // y_structure_whitespace_array
};
// These are refused, as are duplicate keys, which the standard allows.
inline constexpr std::string_view json_refused[] = {
    // i_number_huge_exp
    "[0.4e0066999999999999999999999999999999999999999999999999999"
    "999999999999999999999999999999999999999999999999999999999999"
    "9999969999999006]"sv,
    "[-1e+9999]"sv,  // i_number_neg_int_huge_exp
    "[1.5e+9999]"sv,  // i_number_pos_double_huge_exp
    "[-123123e100000]"sv,  // i_number_real_neg_overflow
    "[123123e100000]"sv,  // i_number_real_pos_overflow
    "{\"\\uDFAA\":0}"sv,  // i_object_key_lone_2nd_surrogate
    "[\"\\uDADA\"]"sv,  // i_string_1st_surrogate_but_2nd_missing
    "[\"\\uD888\\u1234\"]"sv,  // i_string_1st_valid_surrogate_2nd_invalid
    "\377\376[\000\"\000\351\000\"\000]\000"sv,  // i_string_UTF-16LE_with_BOM
    "[\"\346\227\245\321\210\372\"]"sv,  // i_string_UTF-8_invalid_sequence
    "[\"\355\240\200\"]"sv,  // i_string_UTF8_surrogate_U+D800
    "[\"\\uD800\\n\"]"sv,  // i_string_incomplete_surrogate_and_escape_valid
    "[\"\\uDd1ea\"]"sv,  // i_string_incomplete_surrogate_pair
    "[\"\\uD800\\uD800\\n\"]"sv,  // i_string_incomplete_surrogates_escape_valid
    "[\"\\ud800\"]"sv,  // i_string_invalid_lonely_surrogate
    "[\"\\ud800abc\"]"sv,  // i_string_invalid_surrogate
    "[\"\377\"]"sv,  // i_string_invalid_utf-8
    "[\"\\uDd1e\\uD834\"]"sv,  // i_string_inverted_surrogates_U+1D11E
    "[\"\351\"]"sv,  // i_string_iso_latin_1
    "[\"\\uDFAA\"]"sv,  // i_string_lone_second_surrogate
    "[\"\201\"]"sv,  // i_string_lone_utf8_continuation_byte
    "[\"\364\277\277\277\"]"sv,  // i_string_not_in_unicode_range
    "[\"\300\257\"]"sv,  // i_string_overlong_sequence_2_bytes
    "[\"\374\203\277\277\277\277\"]"sv,  // i_string_overlong_sequence_6_bytes
    "[\"\374\200\200\200\200\200\"]"sv,  // i_string_overlong_sequence_6_bytes_null
    "[\"\340\377\"]"sv,  // i_string_truncated-utf-8
    "\000[\000\"\000\351\000\"\000]"sv,  // i_string_utf16BE_no_BOM
    "[\000\"\000\351\000\"\000]\000"sv,  // i_string_utf16LE_no_BOM
    // i_structure_500_nested_arrays
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
    "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"sv,
    "[1 true]"sv,  // n_array_1_true_without_comma
    "[a\345]"sv,  // n_array_a_invalid_utf8
    "[\"\": 1]"sv,  // n_array_colon_instead_of_comma
    "[\"\"],"sv,  // n_array_comma_after_close
    "[,1]"sv,  // n_array_comma_and_number
    "[1,,2]"sv,  // n_array_double_comma
    "[\"x\",,]"sv,  // n_array_double_extra_comma
    "[\"x\"]]"sv,  // n_array_extra_close
    "[\"\",]"sv,  // n_array_extra_comma
    "[\"x\""sv,  // n_array_incomplete
    "[x"sv,  // n_array_incomplete_invalid_value
    "[3[4]]"sv,  // n_array_inner_array_no_comma
    "[\377]"sv,  // n_array_invalid_utf8
    "[1:2]"sv,  // n_array_items_separated_by_semicolon
    "[,]"sv,  // n_array_just_comma
    "[-]"sv,  // n_array_just_minus
    "[   , \"\"]"sv,  // n_array_missing_value
    "[\"a\",\n4\n,1,"sv,  // n_array_newlines_unclosed
    "[1,]"sv,  // n_array_number_and_comma
    "[1,,]"sv,  // n_array_number_and_several_commas
    "[\"\013a\"\\f]"sv,  // n_array_spaces_vertical_tab_formfeed
    "[*]"sv,  // n_array_star_inside
    "[\"\""sv,  // n_array_unclosed
    "[1,"sv,  // n_array_unclosed_trailing_comma
    "[1,\n1\n,1"sv,  // n_array_unclosed_with_new_lines
    "[{}"sv,  // n_array_unclosed_with_object_inside
    "[fals]"sv,  // n_incomplete_false
    "[nul]"sv,  // n_incomplete_null
    "[tru]"sv,  // n_incomplete_true
    "123\000"sv,  // n_multidigit_number_then_00
    "[++1234]"sv,  // n_number_++
    "[+1]"sv,  // n_number_+1
    "[+Inf]"sv,  // n_number_+Inf
    "[-01]"sv,  // n_number_-01
    "[-1.0.]"sv,  // n_number_-1.0.
    "[-2.]"sv,  // n_number_-2.
    "[-NaN]"sv,  // n_number_-NaN
    "[.-1]"sv,  // n_number_.-1
    "[.2e-3]"sv,  // n_number_.2e-3
    "[0.1.2]"sv,  // n_number_0.1.2
    "[0.3e+]"sv,  // n_number_0.3e+
    "[0.3e]"sv,  // n_number_0.3e
    "[0.e1]"sv,  // n_number_0.e1
    "[0E+]"sv,  // n_number_0_capital_E+
    "[0E]"sv,  // n_number_0_capital_E
    "[0e+]"sv,  // n_number_0e+
    "[0e]"sv,  // n_number_0e
    "[1.0e+]"sv,  // n_number_1.0e+
    "[1.0e-]"sv,  // n_number_1.0e-
    "[1.0e]"sv,  // n_number_1.0e
    "[1 000.0]"sv,  // n_number_1_000
    "[1eE2]"sv,  // n_number_1eE2
    "[2.e+3]"sv,  // n_number_2.e+3
    "[2.e-3]"sv,  // n_number_2.e-3
    "[2.e3]"sv,  // n_number_2.e3
    "[9.e+]"sv,  // n_number_9.e+
    "[Inf]"sv,  // n_number_Inf
    "[NaN]"sv,  // n_number_NaN
    "[\357\274\221]"sv,  // n_number_U+FF11_fullwidth_digit_one
    "[1+2]"sv,  // n_number_expression
    "[0x1]"sv,  // n_number_hex_1_digit
    "[0x42]"sv,  // n_number_hex_2_digits
    "[Infinity]"sv,  // n_number_infinity
    "[0e+-1]"sv,  // n_number_invalid+-
    "[-123.123foo]"sv,  // n_number_invalid-negative-real
    "[123\345]"sv,  // n_number_invalid-utf-8-in-bigger-int
    "[1e1\345]"sv,  // n_number_invalid-utf-8-in-exponent
    "[0\345]\n"sv,  // n_number_invalid-utf-8-in-int
    "[-Infinity]"sv,  // n_number_minus_infinity
    "[-foo]"sv,  // n_number_minus_sign_with_trailing_garbage
    "[- 1]"sv,  // n_number_minus_space_1
    "[-012]"sv,  // n_number_neg_int_starting_with_zero
    "[-.123]"sv,  // n_number_neg_real_without_int_part
    "[-1x]"sv,  // n_number_neg_with_garbage_at_end
    "[1ea]"sv,  // n_number_real_garbage_after_e
    "[1e\345]"sv,  // n_number_real_with_invalid_utf8_after_e
    "[1.]"sv,  // n_number_real_without_fractional_part
    "[.123]"sv,  // n_number_starting_with_dot
    "[1.2a-3]"sv,  // n_number_with_alpha
    "[1.8011670033376514H-308]"sv,  // n_number_with_alpha_char
    "[012]"sv,  // n_number_with_leading_zero
    "[\"x\", truth]"sv,  // n_object_bad_value
    "{[: \"x\"}\n"sv,  // n_object_bracket_key
    "{\"x\", null}"sv,  // n_object_comma_instead_of_colon
    "{\"x\"::\"b\"}"sv,  // n_object_double_colon
    "{\360\237\207\250\360\237\207\255}"sv,  // n_object_emoji
    "{\"a\":\"a\" 123}"sv,  // n_object_garbage_at_end
    "{key: 'value'}"sv,  // n_object_key_with_single_quotes
    "{\"\271\":\"0\",}"sv,  // n_object_lone_continuation_byte_in_key_and_trailing_comma
    "{\"a\" b}"sv,  // n_object_missing_colon
    "{:\"b\"}"sv,  // n_object_missing_key
    "{\"a\" \"b\"}"sv,  // n_object_missing_semicolon
    "{\"a\":"sv,  // n_object_missing_value
    "{\"a\""sv,  // n_object_no-colon
    "{1:1}"sv,  // n_object_non_string_key
    "{9999E9999:1}"sv,  // n_object_non_string_key_but_huge_number_instead
    "{null:null,null:null}"sv,  // n_object_repeated_null_null
    "{\"id\":0,,,,,}"sv,  // n_object_several_trailing_commas
    "{'a':0}"sv,  // n_object_single_quote
    "{\"id\":0,}"sv,  // n_object_trailing_comma
    "{\"a\":\"b\"}/**/"sv,  // n_object_trailing_comment
    "{\"a\":\"b\"}/**//"sv,  // n_object_trailing_comment_open
    "{\"a\":\"b\"}//"sv,  // n_object_trailing_comment_slash_open
    "{\"a\":\"b\"}/"sv,  // n_object_trailing_comment_slash_open_incomplete
    "{\"a\":\"b\",,\"c\":\"d\"}"sv,  // n_object_two_commas_in_a_row
    "{a: \"b\"}"sv,  // n_object_unquoted_key
    "{\"a\":\"a"sv,  // n_object_unterminated-value
    "{ \"foo\" : \"bar\", \"a\" }"sv,  // n_object_with_single_string
    "{\"a\":\"b\"}#"sv,  // n_object_with_trailing_garbage
    " "sv,  // n_single_space
    "[\"\\uD800\\\"]"sv,  // n_string_1_surrogate_then_escape
    "[\"\\uD800\\u\"]"sv,  // n_string_1_surrogate_then_escape_u
    "[\"\\uD800\\u1\"]"sv,  // n_string_1_surrogate_then_escape_u1
    "[\"\\uD800\\u1x\"]"sv,  // n_string_1_surrogate_then_escape_u1x
    "[\303\251]"sv,  // n_string_accentuated_char_no_quotes
    "[\"\\\000\"]"sv,  // n_string_backslash_00
    "[\"\\x00\"]"sv,  // n_string_escape_x
    "[\"\\\\\\\"]"sv,  // n_string_escaped_backslash_bad
    "[\"\\\t\"]"sv,  // n_string_escaped_ctrl_char_tab
    "[\"\\\360\237\214\200\"]"sv,  // n_string_escaped_emoji
    "[\"\\\"]"sv,  // n_string_incomplete_escape
    "[\"\\u00A\"]"sv,  // n_string_incomplete_escaped_character
    "[\"\\uD834\\uDd\"]"sv,  // n_string_incomplete_surrogate
    "[\"\\uD800\\uD800\\x\"]"sv,  // n_string_incomplete_surrogate_escape_invalid
    "[\"\\u\345\"]"sv,  // n_string_invalid-utf-8-in-escape
    "[\"\\a\"]"sv,  // n_string_invalid_backslash_esc
    "[\"\\uqqqq\"]"sv,  // n_string_invalid_unicode_escape
    "[\"\\\345\"]"sv,  // n_string_invalid_utf8_after_escape
    "[\\u0020\"asd\"]"sv,  // n_string_leading_uescaped_thinspace
    "[\\n]"sv,  // n_string_no_quotes_with_bad_escape
    "\""sv,  // n_string_single_doublequote
    "['single quote']"sv,  // n_string_single_quote
    "abc"sv,  // n_string_single_string_no_double_quotes
    "[\"\\"sv,  // n_string_start_escape_unclosed
    "[\"a\000a\"]"sv,  // n_string_unescaped_ctrl_char
    "[\"new\nline\"]"sv,  // n_string_unescaped_newline
    "[\"\t\"]"sv,  // n_string_unescaped_tab
    "\"\\UA66D\""sv,  // n_string_unicode_CapitalU
    "\"\"x"sv,  // n_string_with_trailing_garbage
    "[\342\201\240]"sv,  // n_structure_U+2060_word_joined
    "\357\273\277"sv,  // n_structure_UTF8_BOM_no_data
    "<.>"sv,  // n_structure_angle_bracket_.
    "[<null>]"sv,  // n_structure_angle_bracket_null
    "[1]x"sv,  // n_structure_array_trailing_garbage
    "[1]]"sv,  // n_structure_array_with_extra_array_close
    "[\"asd]"sv,  // n_structure_array_with_unclosed_string
    "a\303\245"sv,  // n_structure_ascii-unicode-identifier
    "[True]"sv,  // n_structure_capitalized_True
    "1]"sv,  // n_structure_close_unopened_array
    "{\"x\": true,"sv,  // n_structure_comma_instead_of_closing_brace
    "[][]"sv,  // n_structure_double_array
    "]"sv,  // n_structure_end_array
    "\357\273{}"sv,  // n_structure_incomplete_UTF8_BOM
    "\345"sv,  // n_structure_lone-invalid-utf-8
    "["sv,  // n_structure_lone-open-bracket
    ""sv,  // n_structure_no_data
    "[\000]"sv,  // n_structure_null-byte-outside-string
    "2@"sv,  // n_structure_number_with_trailing_garbage
    "{}}"sv,  // n_structure_object_followed_by_closing_object
    "{\"\":"sv,  // n_structure_object_unclosed_no_value
    "{\"a\":/*comment*/\"b\"}"sv,  // n_structure_object_with_comment
    "{\"a\": true} \"x\""sv,  // n_structure_object_with_trailing_garbage
    "['"sv,  // n_structure_open_array_apostrophe
    "[,"sv,  // n_structure_open_array_comma
    "[{"sv,  // n_structure_open_array_open_object
    "[\"a"sv,  // n_structure_open_array_open_string
    "[\"a\""sv,  // n_structure_open_array_string
    "{"sv,  // n_structure_open_object
    "{]"sv,  // n_structure_open_object_close_array
    "{,"sv,  // n_structure_open_object_comma
    "{["sv,  // n_structure_open_object_open_array
    "{\"a"sv,  // n_structure_open_object_open_string
    "{'a'"sv,  // n_structure_open_object_string_with_apostrophes
    "[\"\\{[\"\\{[\"\\{[\"\\{"sv,  // n_structure_open_open
    "\351"sv,  // n_structure_single_eacute
    "*"sv,  // n_structure_single_star
    "{\"a\":\"b\"}#{}"sv,  // n_structure_trailing_#
    "[\\u000A\"\"]"sv,  // n_structure_uescaped_LF_before_string
    "[1"sv,  // n_structure_unclosed_array
    "[ false, nul"sv,  // n_structure_unclosed_array_partial_null
    "[ true, fals"sv,  // n_structure_unclosed_array_unfinished_false
    "[ false, tru"sv,  // n_structure_unclosed_array_unfinished_true
    "{\"asd\":\"asd\""sv,  // n_structure_unclosed_object
    "\303\245"sv,  // n_structure_unicode-identifier
    "[\342\201\240]"sv,  // n_structure_whitespace_U+2060_word_joiner
    "[\014]"sv,  // n_structure_whitespace_formfeed
    "{\"a\":\"b\",\"a\":\"c\"}"sv,  // y_object_duplicated_key
    "{\"a\":\"b\",\"a\":\"b\"}"sv,  // y_object_duplicated_key_and_value
};
// clang-format on

}  // namespace attn
