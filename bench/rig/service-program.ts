import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildService } from '../../scripts/build-service.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Returns the program that `npm start` runs: the bundle of these sources, built if need be. */
export async function serviceProgram(): Promise<string> {
  const folder = await buildService(root)
  if (folder === undefined) throw new Error('the bundle of the service cannot be built here')
  return join(folder, 'main.js')
}
