import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import path from 'node:path'
import { bundleFolder } from './service-bundle.mjs'

/** Bundles that stay: a running service loads some of its parts later. */
const kept = 3

/**
 * Builds the bundle of the service if there is none of these sources. Resolves with its folder, or with undefined where
 * the bundler is not installed or the folder cannot be written; the service then runs from its sources.
 */
export async function buildService(root) {
  const folder = bundleFolder(root)
  if (existsSync(folder)) return folder
  const bundler = await import('rolldown').catch(() => undefined)
  if (!bundler) return undefined
  const parent = path.dirname(folder)
  let building
  try {
    mkdirSync(parent, { recursive: true })
    building = mkdtempSync(path.join(parent, 'new-'))
    chmodSync(building, 0o755)
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(error.code)) return undefined
    throw error
  }
  try {
    await write(bundler, root, building)
    rename(building, folder)
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  removeOld(parent)
  return folder
}

/** The program, and what it loads by the name of a file: threads and migrations. */
function inputs(root) {
  const server = path.join(root, 'packages/server/src')
  const migrations = readdirSync(path.join(server, 'kernel/db/migrations')).filter((name) => /^\d{4}-/.test(name))
  return {
    main: path.join(server, 'main.ts'),
    'manifest-worker': path.join(server, 'features/integrations/integrations/manifest-worker.ts'),
    'provider-file-worker': path.join(server, 'features/agents/management/provider-file-worker.ts'),
    'build-catalogue': path.join(root, 'packages/providers/src/catalogue/build-catalogue.ts'),
    'pack-thread': path.join(root, 'packages/providers/src/catalogue/pack-thread.ts'),
    ...Object.fromEntries(
      migrations.map((name) => [
        `migrations/${path.basename(name, '.ts')}`,
        path.join(server, 'kernel/db/migrations', name),
      ]),
    ),
  }
}

/** Clients of single types of destinations stay outside, because an installation may lack them. */
function isOptional(root) {
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'packages/server/package.json'), 'utf8'))
  const names = Object.keys(optionalDependencies)
  return (id) => names.some((name) => id === name || id.startsWith(`${name}/`))
}

async function write({ rolldown }, root, folder) {
  const build = await rolldown({
    input: inputs(root),
    cwd: root,
    platform: 'node',
    external: isOptional(root),
    resolve: { conditionNames: ['mortise-source', 'node'] },
    plugins: [sourceFolders(root), ascii],
    logLevel: 'silent',
  })
  try {
    // Names and lines stay: a stack trace is read by them.
    await build.write({
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      comments: false,
    })
  } finally {
    await build.close()
  }
}

/** Files that a module opens next to itself, such as provider files, stay where they are. */
function sourceFolders(root) {
  return {
    name: 'source folders',
    transform: {
      filter: { code: 'import.meta.dirname' },
      handler(code, id) {
        if (id.includes('node_modules')) return undefined
        const relative = path.join('../../../..', path.relative(root, path.dirname(id)))
        return code.replaceAll(
          'import.meta.dirname',
          `decodeURI(new URL(${JSON.stringify(relative)}, import.meta.url).pathname)`,
        )
      },
    },
  }
}

/** One character beyond Latin-1 makes V8 store a whole file with two bytes for each character. */
const ascii = {
  name: 'ascii',
  renderChunk(code) {
    if (/(?<!\\)(\\\\)*\\[^\0-\x7f]/.test(code)) throw new Error('a character beyond ASCII follows a backslash')
    return code.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
  },
}

/** Two starts may build the same; the first one stays. */
function rename(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error
  }
}

function removeOld(parent) {
  const folders = readdirSync(parent)
    .filter((name) => /^[0-9a-f]{16}$/.test(name))
    .map((name) => path.join(parent, name))
    .map((folder) => ({ folder, builtAt: statSync(folder).mtimeMs }))
    .toSorted((a, b) => b.builtAt - a.builtAt)
  for (const { folder } of folders.slice(kept)) rmSync(folder, { recursive: true, force: true })
}
