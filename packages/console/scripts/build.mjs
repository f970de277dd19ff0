import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const packageFolder = path.resolve(import.meta.dirname, '..')
const manifestFile = '.vite/manifest.json'

/**
 * Builds the scripts and styles of the console. Names hold a hash of the content; `assets.json` lists them, and names
 * those that the first page needs. Each has a copy that is compressed with Brotli and one with gzip, so that a service
 * compresses nothing.
 */
export async function build({ outDir }) {
  const vite = await import('vite')
  mkdirSync(path.dirname(outDir), { recursive: true })
  // Vite takes React's slower half for development where another mode is set already, as in tests.
  const { NODE_ENV: mode } = process.env
  process.env.NODE_ENV = 'production'
  try {
    await vite.build({
      configFile: path.join(packageFolder, 'vite.config.ts'),
      root: packageFolder,
      base: '/console/',
      logLevel: 'error',
      build: { outDir: path.resolve(outDir), emptyOutDir: true, manifest: manifestFile },
    })
  } finally {
    if (mode === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = mode
  }
  const assets = assetsOf(outDir)
  for (const name of assets.files) compress(path.join(outDir, name))
  // The page comes from the service.
  for (const left of ['.vite', 'index.html']) rmSync(path.join(outDir, left), { recursive: true, force: true })
  writeFileSync(path.join(outDir, 'assets.json'), `${JSON.stringify(assets, null, 2)}\n`)
  return assets
}

function assetsOf(outDir) {
  const chunks = JSON.parse(readFileSync(path.join(outDir, manifestFile), 'utf8'))
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry)
  if (!entry) throw new Error('the build of the console has no entry')
  const imported = importedBy(chunks, entry)
  // With one style for all chunks, it is a chunk of its own.
  const styles = [entry, ...imported].flatMap(({ css = [] }) => css)
  const whole = Object.values(chunks)
    .filter(({ file, isEntry, isDynamicEntry }) => file.endsWith('.css') && !isEntry && !isDynamicEntry)
    .map(({ file }) => file)
  const files = readdirSync(path.join(outDir, 'assets'), { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .map((found) => path.relative(outDir, path.join(found.parentPath, found.name)).replaceAll(path.sep, '/'))
  return {
    entry: entry.file,
    css: [...new Set([...styles, ...whole])],
    preload: imported.map(({ file }) => file),
    files: files.toSorted(),
  }
}

/** The chunks that a chunk imports, directly or through others, each once. */
function importedBy(chunks, entry) {
  const found = new Map()
  const visit = ({ imports = [] }) => {
    for (const key of imports) {
      const chunk = chunks[key]
      if (!chunk || found.has(key)) continue
      found.set(key, chunk)
      visit(chunk)
    }
  }
  visit(entry)
  return [...found.values()]
}

function compress(file) {
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}
