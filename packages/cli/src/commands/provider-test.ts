import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  connection?: string
  standIn?: boolean
  as?: string
  object: string[]
  module?: string
  write?: boolean
  get?: string
  record?: boolean
}

/** The service accepts no larger file. */
const bytesMax = 262_144

export const addProviderTest: AddCommand = (provider, terminal) => {
  withFormat(withService(provider.command('test')))
    .description('Try a provider file with a connection, or offline: read each of its objects, as Mortise does.')
    .argument('<file-or-name>', 'the provider file, or the name of a provider of the catalog')
    .option(
      '-c, --connection <id>',
      'id of a connection of the provider; requests go to the addresses of its provider only',
    )
    .option('-s, --stand-in', 'test offline: read and write at a server that answers as the file says')
    .option('--as <file-or-name>', 'with --stand-in: the server answers as this other file says')
    .option('-o, --object <name>', 'only this object; can be repeated', collect, [])
    .option('-m, --module <id>', 'module of the provider; its default one unless set')
    .option('-g, --get <path>', 'also request this path below the base URL by GET')
    .option('-r, --record', 'write a patch that says what works, without account data')
    .option('-w, --write', 'also send writes that the provider must refuse, and show its responses')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise provider test providers/acme.yaml --connection $CONNECTION --object contacts\n  mortise provider test providers/acme.yaml --stand-in\n  mortise provider test postmark --connection $CONNECTION --get /server --record',
    )
    .action(async (file: string, { standIn = false, as, ...options }: Options) => {
      if (standIn) await testWithStandIn(file, as, options, terminal)
      else if (as !== undefined) throw new UsageError('--as needs --stand-in.')
      else await testWithConnection(file, options, terminal)
    })
}

async function testWithStandIn(
  file: string,
  as: string | undefined,
  { object, format, ...others }: Options,
  terminal: Terminal,
): Promise<void> {
  const needsConnection = ['connection', 'module', 'get', 'record', 'write'] as const
  const given = needsConnection.filter((name) => others[name] !== undefined).map((name) => `--${name}`)
  if (given.length > 0) {
    const they = given.length === 1 ? 'it does' : 'they do'
    throw new UsageError(`Leave out ${given.join(' and ')}: ${they} not go with --stand-in.`)
  }
  const { testOffline } = await import('../provider-testing/test-offline.ts')
  const found = await findProviderFile(file, terminal)
  const otherFile = as === undefined ? undefined : await findProviderFile(as, terminal)
  if (!(await testOffline({ file: found, name: file, as: otherFile, objects: object, format }, terminal)))
    throw new Exit(exitCodes.invalid)
}

async function testWithConnection(
  file: string,
  { connection, object, module, write, get, record, ...options }: Options,
  terminal: Terminal,
): Promise<void> {
  if (connection === undefined)
    throw new UsageError('Name a connection with --connection ID, or test offline with --stand-in.')
  const { offerRecord } = await import('../provider-testing/offer-record.ts')
  const { testText } = await import('../provider-testing/test-text.ts')
  const { text, path } = await findProviderFile(file, terminal)
  const { mortise } = await connectTo(options, terminal)
  const tested = await mortise.testProviderFile(
    {
      connectionId: connection,
      body: {
        name: basename(path),
        text,
        ...(object.length > 0 && { objects: object }),
        ...(module !== undefined && { module }),
        ...(write === true && { writes: true }),
        ...(get !== undefined && { get }),
      },
    },
    { signal: terminal.signal },
  )
  if (options.format === 'text') terminal.stdout.write(testText(path, tested, terminal.out))
  else printData(terminal, options.format, tested)
  if (!tested.ok) throw new Exit(exitCodes.invalid)
  const isUnchecked = /^(?:confidence|documented):/m.test(text) && !/^connected:/m.test(text)
  await offerRecord({ text, path, isUnchecked }, tested, record === true, terminal)
}

/** Returns a file, or else the one of the catalog that has this name. */
async function findProviderFile(file: string, { cwd }: Terminal): Promise<{ text: string; path: string }> {
  if (!/^[A-Za-z][A-Za-z0-9_-]*$/.test(file) || (await stat(resolve(cwd, file)).catch(() => undefined))?.isFile())
    return { text: await readProviderFile(resolve(cwd, file), file), path: file }
  const { builtInFiles } = await import('../provider-checking/built-in-files.ts')
  const found = (await builtInFiles()).find(({ path }) => path === `${file}.yaml`)
  if (found === undefined)
    throw new UsageError(
      `There is no file ${file}, and no provider of this name. \`mortise list providers\` lists them.`,
    )
  return { text: found.text, path: `packages/providers/providers/${found.path}` }
}

async function readProviderFile(path: string, name: string): Promise<string> {
  const there = await stat(path).catch(() => undefined)
  if (!there?.isFile()) throw new UsageError(`There is no file ${name}.`)
  if (there.size > bytesMax) throw new UsageError(`${name} is larger than a provider file may be (${bytesMax} bytes).`)
  return readFile(path, 'utf8')
}
