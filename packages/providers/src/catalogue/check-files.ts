import { compileCatalogue } from './compile-catalogue.ts'
import type { CatalogueFault } from './entry.ts'

export type { CatalogueFault } from './entry.ts'
export { fileBytesMax } from './read-sources.ts'

/** A provider file by its name and text. */
export interface FileToCheck {
  path: string
  text: string
}

/**
 * Checks provider files as the service does when it loads them, without one. Returns every fault with its line and
 * column. The files may refer to each other (`objectsOf`).
 *
 * @param builtIn the files of the release: each completes the file of its name
 */
export function checkProviderFiles(files: readonly FileToCheck[], builtIn: readonly FileToCheck[]): CatalogueFault[] {
  const user = files.map((file) => ({ ...file, origin: 'user' as const }))
  const beneath = builtIn.map((file) => ({ ...file, origin: 'builtIn' as const }))
  return compileCatalogue(user, beneath).faults
}
