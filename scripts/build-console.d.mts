/**
 * Builds the console, unless it is there. Returns false where Vite is not installed or the folder cannot be written.
 */
export function buildConsole(root: string): Promise<boolean>

/** Builds the console in another process, with low priority. Returns what stops the build. */
export function buildConsoleBeside(root: string, node: string): () => void
