import { join } from 'node:path'
import { type BuiltAssets, createBuiltAssets } from '../../../../kernel/http/index.ts'

/** The scripts of the connect components, as `packages/connect` builds them for browsers. */
export type ConnectAssets = BuiltAssets<ScriptNames>

export interface ScriptNames {
  connect: string
  hosted: string
  /** Scripts with the texts of languages, by tag. English is in the others. */
  languages?: Readonly<Record<string, string>>
}

/** Where the launcher of the service and `npm run build` put them. */
const builtFolder = join(import.meta.dirname, '../../../../../../connect/dist/browser')

/** Without the folder, the service runs, and connect pages work without scripts. */
export function createConnectAssets(folder: string = builtFolder): ConnectAssets {
  return createBuiltAssets(folder)
}
