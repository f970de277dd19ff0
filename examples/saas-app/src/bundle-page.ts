import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'

const folder = fileURLToPath(new URL('../', import.meta.url))

/**
 * Bundles the script of a page, as your bundler does in your product. Returns undefined in a checkout without the tools
 * of development.
 *
 * @param entry path in the folder of this example
 */
export async function bundlePage(entry: string): Promise<string | undefined> {
  const tools = await loadTools()
  if (!tools) return undefined
  const bundle = await tools.rolldown({
    input: join(folder, entry),
    cwd: folder,
    platform: 'browser',
    // The script of all pages of Harbor is a file of its own.
    external: ['/app.js'],
    resolve: { conditionNames: ['mortise-source', 'browser', 'production', 'import', 'default'] },
    plugins: [tools.vueFiles()],
    transform: {
      target: 'es2022',
      define: {
        'process.env.NODE_ENV': '"production"',
        __VUE_OPTIONS_API__: 'false',
        __VUE_PROD_DEVTOOLS__: 'false',
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
      },
    },
    logLevel: 'silent',
  })
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false })
    return output[0].code
  } finally {
    await bundle.close()
  }
}

async function loadTools(): Promise<
  { rolldown: typeof import('rolldown').rolldown; vueFiles: () => Plugin } | undefined
> {
  try {
    const [{ rolldown }, { vueFiles }] = await Promise.all([import('rolldown'), import('./vue-files.ts')])
    return { rolldown, vueFiles }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}
