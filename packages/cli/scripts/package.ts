import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const cli = join(root, 'packages/cli')

/**
 * Writes the package that npm publishes into an empty folder: the command and everything that it imports in one bundle,
 * so that it installs without any other package. It is a folder of its own because the package.json of the workspace
 * names the libraries that the bundle is made of.
 */
export async function writePackage(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      main: 'packages/cli/src/main.ts',
      // The entry of a thread.
      'stand-in-worker': 'packages/cli/src/provider-testing/stand-in-worker.ts',
    },
    outdir: join(folder, 'dist'),
    bundle: true,
    // What a command imports when it runs stays in a file of its own, so that no other command loads it.
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    conditions: ['mortise-source'],
    // Installed beside the command by whoever wants it to run the service, or not at all.
    external: ['@mortise/server'],
    // Names stay: they are what a stack trace is read by.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    // CommonJS libraries in the bundle ask for the modules of Node this way.
    banner: {
      js: "import { createRequire as createRequireOfNode } from 'node:module';const require = createRequireOfNode(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  })
  await writeFile(join(folder, 'dist/provider-files.json.gz'), await providerFiles())
  const {
    dependencies,
    devDependencies,
    private: _,
    // What the service imports is no part of the published bundle.
    exports: _exports,
    ...published
  } = JSON.parse(await readFile(join(cli, 'package.json'), 'utf8'))
  published.files = ['bin', 'dist', 'THIRD_PARTY_LICENSES']
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  await cp(join(cli, 'bin'), join(folder, 'bin'), { recursive: true })
  await cp(join(cli, 'README.md'), join(folder, 'README.md'))
  await cp(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'THIRD_PARTY_LICENSES'), await licences(metafile))
}

/** The provider files of the release in one piece, which only the check of a provider file opens. */
async function providerFiles(): Promise<Buffer> {
  const source = join(root, 'packages/providers/providers')
  const names = (await readdir(source)).filter((name) => name.endsWith('.yaml')).sort()
  const files = await Promise.all(
    names.map(async (path) => ({ path, text: await readFile(join(source, path), 'utf8') })),
  )
  return gzipSync(JSON.stringify(files), { level: 9 })
}

/** The licences of the packages whose code is in the bundle. */
async function licences({ inputs }: Metafile): Promise<string> {
  const folders = new Set(
    Object.keys(inputs).flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
  )
  const texts = await Promise.all([...folders].sort().map((folder) => licenceOf(join(root, folder))))
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

async function licenceOf(folder: string): Promise<string> {
  const { name, version, license, homepage } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} declares no licence`)
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text =
    file === undefined ? `Licence: ${license}. ${homepage ?? ''}` : await readFile(join(folder, file), 'utf8')
  return `${name} ${version} (${license})\n\n${text.trim()}\n`
}
