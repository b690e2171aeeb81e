// Uses the system's Chromium. This file and the tests are copied to the folder with the npm packages.
import { defineConfig } from "@playwright/test";

export default defineConfig({
    timeout: 600000,
    expect: { timeout: 120000 }, // tests run beside others
    workers: 2,
    fullyParallel: true,
    forbidOnly: true,
    reporter: "list",
    use: { launchOptions: { executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] } }
});
