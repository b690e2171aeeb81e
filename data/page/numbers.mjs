// Numbers between the program and the screen. The program writes all numbers as text.

// The screen shows a real minus sign and a centred dot; input may contain either sign.
export const onScreen = (text) =>
    text
        .replace(/-(?=\d|inf)/g, "−")
        .replace(/ - /g, " − ")
        .replace(/(?<!\*)\*(?!\*)/g, "·");
export const valueOf = (text) => Number(text.replace("inf", "Infinity"));
