import { readdir, stat, writeFile } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { collect } from '../collect.ts'
import type { AddCommand } from '../command.ts'
import { commandLine } from '../command-line.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { manifestNames } from '../manifest/manifest-names.ts'
import { readSettings } from '../service/settings.ts'
import { printable } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

interface Options {
  name?: string
  provider?: string
  module?: string
  object: string[]
  field: string[]
  destination?: string
  destinationUrl?: string
  schedule?: string
  url?: string
  force?: boolean
}

export const addInit: AddCommand = (program, terminal) => {
  program
    .command('init')
    .description('Write a first manifest, from questions or from options.')
    .argument('[folder]', 'where mortise.yaml is written (default: the current folder)')
    .option('--provider <name>', 'the provider, such as hubspot')
    .option('--module <name>', 'one of the provider’s modules')
    .option('--name <name>', 'name of the integration (default: the provider)')
    .option('--object <name>', 'what is read, such as contacts; can be repeated', collect, [])
    .option(
      '--field <name>',
      'a field that every customer delivers: email, or contacts.email; can be repeated',
      collect,
      [],
    )
    .option('--destination <name>', 'name of the destination of the records (default: webhook)')
    .option('--destination-url <url>', 'URL of that destination; only used in the printed next steps')
    .option('--schedule <cron>', 'when it is read, in UTC, or none: only when triggered (default: every half hour)')
    .option('--url <origin>', 'the service whose schema your editor uses to complete the manifest')
    .option('--force', 'overwrite an existing manifest')
    .addHelpText(
      'after',
      "\nExamples:\n  mortise init\n  mortise init --provider hubspot --object contacts --field email --schedule '*/10 * * * *'",
    )
    .action(async (folder: string | undefined, options: Options) => {
      const file = await fileFor(resolve(terminal.cwd, folder ?? '.'), options.force ?? false)
      const manifest = await import('../manifest/index.ts')
      const { url } = await readSettings(options, terminal)
      const providers = await manifest.packedProviders()
      const answers = await manifest.askNewManifest(options, providers, terminal)
      const text = manifest.newManifest({ ...answers, schemaUrl: `${url}/schemas/manifest.json` })

      const name = relative(terminal.cwd, file) || file
      const own = Object.hasOwn(providers, answers.provider) ? [] : [answers.provider]
      const catalogue = await manifest.offlineCatalogue(own)
      const { findings, valid } = manifest.validateManifest(text, {
        catalogue,
        strict: true,
        readIntervalMinMs: 60_000,
      })
      manifest.mentionFindings(terminal, { name, text }, findings)
      if (!valid) throw new Exit(exitCodes.invalid)
      const destinationUrl = await destinationUrlFor(answers.destination, options, terminal)
      // Without --force a file that has come up meanwhile is not overwritten.
      await writeFile(file, text, { flag: options.force ? 'w' : 'wx' })
      if (own.length > 0)
        warnOfProvider(answers.provider, (await manifest.offlineCatalogue()).suggest?.(answers.provider), terminal)
      showNextSteps(name, answers.destination, destinationUrl, terminal)
    })
}

/** The file to write: where nothing is, or with `force` the one manifest that is there. */
async function fileFor(folder: string, force: boolean): Promise<string> {
  const there = await stat(folder).catch(() => undefined)
  if (!there?.isDirectory()) throw new UsageError(`There is no folder ${folder}.`)
  const names = await readdir(folder)
  const found = manifestNames.filter((name) => names.includes(name))
  const [first = manifestNames[0]] = found
  if (found.length > 0 && !force)
    throw new UsageError(`There is a manifest already: ${join(folder, first)}. --force overwrites it.`)
  if (found.length > 1) throw new UsageError(`There are several manifests in ${folder}: ${found.join(', ')}. Keep one.`)
  return join(folder, first)
}

function warnOfProvider(provider: string, meant: string | undefined, { stderr, err }: Terminal): void {
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  stderr.write(
    `${err.yellow('warning')} ${printable(provider)} is not a provider of this release. Add a provider file for it.${hint}\n`,
  )
}

/** Where the destination delivers to, for the command that makes it; empty where that is not known yet. */
async function destinationUrlFor(
  destination: string,
  { destinationUrl }: Options,
  { interactive, ask }: Terminal,
): Promise<string> {
  if (destinationUrl !== undefined || !interactive || destination === '') return destinationUrl ?? ''
  return (await ask.text(`URL that ${destination} delivers to? (empty: later)`, { placeholder: 'https://' })).trim()
}

function showNextSteps(name: string, destination: string, destinationUrl: string, { stderr, err }: Terminal): void {
  const steps = [
    ...(destination === ''
      ? []
      : [commandLine('create', 'destination', destination, destinationUrl || 'https://example.com/webhooks')]),
    commandLine('diff'),
    commandLine('deploy'),
  ]
  const lines = steps.map((step) => `  ${printable(step)}\n`)
  const remark = destination !== '' && destinationUrl === '' ? ' (with the URL of your endpoint)' : ''
  stderr.write(`${err.green('written')}: ${printable(name)}\nNext${remark}:\n${lines.join('')}`)
}
