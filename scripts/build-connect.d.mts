/**
 * Builds the scripts of the connect components, unless they are there. Returns false where the bundler is not installed
 * or the folder cannot be written.
 */
export function buildConnect(root: string): Promise<boolean>
