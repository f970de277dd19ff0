import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Builds the scripts that the service serves: `connect` defines the components, `hosted` also draws the hosted page.
 * Each language is a file of its own. Names hold a hash of the content; `assets.json` lists them. Each has a copy that
 * is compressed with Brotli and one with gzip, so that a service compresses nothing.
 */
export async function build({ outDir }) {
  const { rolldown } = await import('rolldown')
  // Each script is whole: another file would be another request before the first step.
  const connect = await bundle(rolldown, 'connect', 'index.ts')
  const hosted = await bundle(rolldown, 'hosted', 'hosted.ts')
  const chunks = new Map([...connect, ...hosted].map((chunk) => [chunk.fileName, chunk.code]))
  const languages = Object.fromEntries(
    hosted.filter(({ isEntry }) => !isEntry).map(({ name, fileName }) => [name, fileName]),
  )
  const files = [...chunks.keys()].toSorted()
  const assets = { connect: entryOf(connect), hosted: entryOf(hosted), languages, files }
  rmSync(outDir, { recursive: true, force: true })
  mkdirSync(outDir, { recursive: true })
  for (const [fileName, code] of chunks) {
    const file = path.join(outDir, fileName)
    writeFileSync(file, code)
    writeFileSync(`${file}.br`, brotliCompressSync(code, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
    writeFileSync(`${file}.gz`, gzipSync(code, { level: 9 }))
  }
  writeFileSync(path.join(outDir, 'assets.json'), `${JSON.stringify(assets, null, 2)}\n`)
  return assets
}

/**
 * Builds `connect.js`, the script of the components for pages that load it from the package, with each language in
 * `languages`. Its name stays the same, because the address of a package has the version.
 */
export async function buildForPackage({ outDir }) {
  const { rolldown } = await import('rolldown')
  const chunks = await bundle(rolldown, 'connect', 'index.ts', {
    entryFileNames: '[name].js',
    chunkFileNames: 'languages/[name].[hash].js',
  })
  // What a removed source left behind must not be packed: `tsc` writes `lib` next.
  for (const folder of ['languages', 'lib']) rmSync(path.join(outDir, folder), { recursive: true, force: true })
  for (const { fileName, code } of chunks) {
    const file = path.join(outDir, fileName)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, code)
  }
  return chunks.map(({ fileName }) => fileName)
}

const hashed = { entryFileNames: '[name].[hash].js', chunkFileNames: '[name].[hash].js' }

async function bundle(rolldown, name, file, names = hashed) {
  const source = path.resolve(import.meta.dirname, '../src')
  const bundled = await rolldown({
    input: { [name]: path.join(source, file) },
    cwd: path.dirname(source),
    platform: 'browser',
    resolve: { conditionNames: ['mortise-source', 'browser', 'production', 'import', 'default'] },
    plugins: [templates],
    transform: { define: { 'process.env.NODE_ENV': '"production"' }, target: 'es2022' },
    logLevel: 'warn',
  })
  try {
    const { output } = await bundled.generate({
      format: 'esm',
      minify: true,
      comments: false,
      ...names,
    })
    return output.filter(({ type }) => type === 'chunk')
  } finally {
    await bundled.close()
  }
}

const entryOf = (chunks) => chunks.find(({ isEntry }) => isEntry).fileName

/** Removes the indentation of templates and styles, which browsers do not need. */
const templates = {
  name: 'templates',
  transform: {
    filter: { id: /packages\/connect\/src\/elements\/.*\.ts$/ },
    handler(code) {
      return code.replaceAll(/\n\s+/g, '\n')
    },
  },
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const outDir = path.resolve(process.argv[2] ?? 'dist')
  const files = await buildForPackage({ outDir })
  console.log(`${files.length} files in ${outDir}`)
}
