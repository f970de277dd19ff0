import { readFile, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { collect } from '../collect.ts'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends ServiceOptions, FormatOptions {
  connection: string
  object: string[]
  module?: string
  write?: boolean
}

/** The service accepts no larger file. */
const bytesMax = 262_144

export const addProviderTest: AddCommand = (provider, terminal) => {
  withFormat(withService(provider.command('test')))
    .description('Try a provider file with a connection: describe and read each of its objects, as Mortise does.')
    .argument('<file>', 'the provider file')
    .requiredOption(
      '-c, --connection <id>',
      'id of a connection of the provider; requests go to the addresses of its provider only',
    )
    .option('-o, --object <name>', 'only this object; can be repeated', collect, [])
    .option('-m, --module <id>', 'module of the provider; its default one unless set')
    .option('-w, --write', 'also send writes that the provider must refuse, and show its responses')
    .addHelpText(
      'after',
      '\nExample:\n  mortise provider test providers/acme.yaml --connection $CONNECTION --object contacts',
    )
    .action(async (file: string, { connection, object, module, write, ...options }: Options) => {
      const { testText } = await import('../provider-testing/test-text.ts')
      const text = await readProviderFile(resolve(terminal.cwd, file), file)
      const { mortise } = await connectTo(options, terminal)
      const tested = await mortise.testProviderFile(
        {
          connectionId: connection,
          body: {
            name: basename(file),
            text,
            ...(object.length > 0 && { objects: object }),
            ...(module !== undefined && { module }),
            ...(write === true && { writes: true }),
          },
        },
        { signal: terminal.signal },
      )
      if (options.format === 'text') terminal.stdout.write(testText(file, tested, terminal.out))
      else printData(terminal, options.format, tested)
      if (!tested.ok) throw new Exit(exitCodes.invalid)
    })
}

async function readProviderFile(path: string, name: string): Promise<string> {
  const there = await stat(path).catch(() => undefined)
  if (!there?.isFile()) throw new UsageError(`There is no file ${name}.`)
  if (there.size > bytesMax) throw new UsageError(`${name} is larger than a provider file may be (${bytesMax} bytes).`)
  return readFile(path, 'utf8')
}
