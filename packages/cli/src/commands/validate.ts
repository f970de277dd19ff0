import type { Finding } from '@mortise/manifest'
import { Option } from 'commander'
import { collect } from '../collect.ts'
import { type AddCommand, withFormat } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { parseDuration } from '../manifest/duration.ts'
import { manifestArgument } from '../manifest/manifest-names.ts'
import { type Format, formats } from '../terminal/print.ts'

interface Options {
  format: Format | 'github'
  strict: boolean
  readIntervalMin: number
  ownProvider: string[]
}

export const addValidate: AddCommand = (program, terminal) => {
  withFormat(program.command('validate'), [...formats, 'github'])
    .description('Validate a manifest offline.')
    .argument(...manifestArgument)
    .option('--strict', 'count what cannot work as an error', true)
    .option('--no-strict', 'count it as a warning: it may be deployed')
    .addOption(
      new Option('--read-interval-min <duration>', 'shortest interval of reads that the service allows')
        .argParser(parseDuration)
        .default(60_000, '1m'),
    )
    .option('--own-provider <name>', 'a provider that has a provider file of yours; can be repeated', collect, [])
    .addHelpText('after', '\nExample:\n  mortise validate mortise.yaml --format json')
    .action(async (path: string | undefined, options: Options) => {
      const { offlineCatalogue, printFindings, readManifestFile, validateManifest } = await import(
        '../manifest/index.ts'
      )
      const file = await readManifestFile(path, terminal)
      const { findings, valid } = validateManifest(file.text, {
        catalogue: await offlineCatalogue(options.ownProvider),
        strict: options.strict,
        readIntervalMinMs: options.readIntervalMin,
      })
      printFindings(terminal, options.format, file, findings.map(withOwnProvider))
      if (!valid) throw new Exit(exitCodes.invalid)
    })
}

/** Offline, only the option says that a provider file exists: a service knows the files of its folders. */
function withOwnProvider(finding: Finding): Finding {
  const { rule, suggestion = '', value } = finding
  if (rule !== 'provider-not-supported' || typeof value !== 'string' || !/^\w+$/.test(value)) return finding
  return {
    ...finding,
    suggestion: `${suggestion} For a provider file of yours, add --own-provider ${value}.`.trimStart(),
  }
}
