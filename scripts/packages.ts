import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { writePackage } from '../packages/cli/scripts/package.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const run = promisify(execFile)

/** Packs `@mortise/client` into a folder. Returns the path of the tarball. */
export async function packClient(folder: string): Promise<string> {
  const [file = ''] = await pack([join(root, 'packages/client')], folder)
  return file
}

/** Packs `@mortise/connect` into a folder. Returns the path of the tarball. */
export async function packConnect(folder: string): Promise<string> {
  const [file = ''] = await pack([join(root, 'packages/connect')], folder)
  return file
}

/** Packs `@mortise/cli`, bundled, into a folder. Returns the path of the tarball. */
export async function packCli(folder: string): Promise<string> {
  const bundle = await mkdtemp(join(tmpdir(), 'mortise-cli-'))
  try {
    await writePackage(bundle)
    const [file = ''] = await pack([bundle], folder)
    return file
  } finally {
    await rm(bundle, { recursive: true })
  }
}

/**
 * Packs installed packages as they are: what they run to build themselves is for their own checkouts. Returns the paths
 * of the tarballs.
 */
export const packInstalled = (sources: string[], folder: string) => pack(sources, folder, ['--ignore-scripts'])

/**
 * Packs the packages of several folders with one npm. Their `prepack` scripts run first. Returns the paths of the
 * tarballs.
 */
async function pack(sources: string[], folder: string, flags: string[] = []): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const { stdout } = await run(
    'npm',
    ['pack', ...sources, ...flags, '--pack-destination', folder, '--json', '--loglevel=error'],
    {
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024,
    },
  )
  // The output of a `prepack` script precedes the JSON.
  const packed: { filename: string }[] = JSON.parse(stdout.slice(stdout.indexOf('[\n')))
  return packed.map(({ filename }) => join(folder, filename))
}
