/** A folder of files for browsers, and what it is built from. Paths are relative to the root. */
export interface Built {
  folder: string
  sources: string[]
  /** Writes into a folder that does not exist yet. */
  build: (outDir: string) => Promise<unknown>
}

/** Returns whether the folder holds what these sources lead to. */
export function isBuilt(root: string, built: Built): boolean

/** Builds a folder, unless it was built from these sources. Returns false where it cannot be written. */
export function buildFolder(root: string, built: Built): Promise<boolean>
