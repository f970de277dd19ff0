import { buildFolder, isBuilt } from './built-folder.mjs'

const built = {
  folder: 'packages/connect/dist/browser',
  sources: ['packages/connect/src', 'packages/connect/scripts', 'packages/client/src'],
  async build(outDir) {
    const { build } = await import('../packages/connect/scripts/build.mjs')
    await build({ outDir })
  },
}

/**
 * Builds the scripts of the connect components for browsers, unless those of these sources are there. The service reads
 * them into its memory when a browser requests the first, so a running service keeps its own. Returns false where the
 * bundler is not installed or the folder cannot be written; connect pages then work without scripts.
 */
export async function buildConnect(root) {
  if (isBuilt(root, built)) return true
  const bundler = await import('rolldown').catch(() => undefined)
  return bundler ? await buildFolder(root, built) : false
}
