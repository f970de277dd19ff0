import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type AddCommand, type FormatOptions, withFormat } from '../command.ts'
import { type DatabaseOptions, settingsOf, withDatabase } from '../database-options.ts'
import { loadServer } from '../service/load-server.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends DatabaseOptions, FormatOptions {}

export const addRestore: AddCommand = (program, terminal) => {
  withFormat(withDatabase(program.command('restore')))
    .description('Restore a backup into an empty database.')
    .argument('<file>', 'the backup')
    .addHelpText('after', '\nExample:\n  mortise restore mortise-2026-11-21.zip --data-dir .mortise')
    .action(async (file: string, options: Options) => {
      const { stderr, err, signal, cwd } = terminal
      if (statSync(resolve(cwd, file), { throwIfNoEntry: false })?.isFile() !== true)
        throw new UsageError(`There is no file ${file}. Check the path.`)
      const server = await loadServer('restore')
      const env = settingsOf(options, terminal)
      const restored = await server.restore({ file: resolve(cwd, file), env, signal })
      const { manifest, where, migrated, missingEncryptionKeys, encryptionKeyFile, unknownQueues } = restored
      if (options.format !== 'text')
        printData(terminal, options.format, {
          where,
          createTime: manifest.createTime,
          mortise: manifest.mortise,
          tables: manifest.tables.map(({ name, rows }) => ({ name, rows })),
          jobs: manifest.jobs.rows,
          migrated,
          encryptionKeyFile: encryptionKeyFile ?? null,
          missingEncryptionKeys,
          unknownQueues,
        })
      const say = (text: string) => stderr.write(`${printable(text)}\n`)
      stderr.write(`${err.green('restored')}: `)
      say(`${server.rowsOf(manifest).toLocaleString('en')} rows as of ${manifest.createTime}, into ${where}`)
      if (migrated.length > 0) say(`The schema was migrated from ${manifest.migrations.at(-1)} to ${migrated.at(-1)}.`)
      if (encryptionKeyFile !== undefined) say(`The encryption key was written to ${encryptionKeyFile}.`)
      if (missingEncryptionKeys.length > 0) {
        stderr.write(`${err.yellow('warning')} `)
        say(
          `The encryption key ${missingEncryptionKeys.join(', ')} is missing, and the service does not start without it. ` +
            'Set MORTISE_ENCRYPTION_KEY, or put the key file into the data folder (encryption-key, mode 0600).',
        )
      }
      if (unknownQueues.length > 0) {
        stderr.write(`${err.yellow('warning')} `)
        say(`This release does not have these queues, so their waiting jobs were left out: ${unknownQueues.join(', ')}`)
      }
    })
}
