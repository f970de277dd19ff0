import { join } from 'node:path'
import { type BuiltAssets, createBuiltAssets } from '../../../kernel/http/index.ts'

/** The scripts and styles of the console, as `packages/console` builds them. Names are paths below `/console/`. */
export type ConsoleAssets = BuiltAssets<ConsoleEntries>

export interface ConsoleEntries {
  entry: string
  css?: readonly string[]
  /** Scripts that the entry imports, so that the browser loads all of them at the same time. */
  preload?: readonly string[]
}

/** Where the launcher of the service and `npm run build` put them. */
const builtFolder = join(import.meta.dirname, '../../../../../console/dist/browser')

/** Without the folder, the service runs, and the page of the console says how to build it. */
export function createConsoleAssets(folder: string = builtFolder): ConsoleAssets {
  return createBuiltAssets(folder)
}
