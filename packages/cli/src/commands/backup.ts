import { createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type AddCommand, type FormatOptions, withFormat } from '../command.ts'
import { type DatabaseOptions, settingsOf, withDatabase } from '../database-options.ts'
import { loadServer } from '../service/load-server.ts'
import { printable, printData } from '../terminal/print.ts'
import { UsageError } from '../usage-error.ts'

interface Options extends DatabaseOptions, FormatOptions {
  withEncryptionKey?: boolean
}

export const addBackup: AddCommand = (program, terminal) => {
  withFormat(withDatabase(program.command('backup')))
    .description('Back up all data of the service into one file, while it runs.')
    .argument('<file>', 'the output file; - for standard output')
    .option('--with-encryption-key', 'add the encryption key: the file then gives access to all secrets')
    .addHelpText(
      'after',
      '\nExamples:\n  mortise backup mortise-2026-11-21.zip\n  mortise backup - | age -r KEY > mortise.zip.age',
    )
    .action(async (file: string, options: Options) => {
      const { stdout, stderr, err, signal, cwd } = terminal
      const toStdout = file === '-'
      if (toStdout && options.format !== 'text')
        throw new UsageError('With - the backup itself goes to standard output: leave --format out, or name a file.')
      const server = await loadServer('backup')
      const settings = {
        env: settingsOf(options, terminal),
        withEncryptionKey: options.withEncryptionKey === true,
        signal,
      }
      const path = resolve(cwd, file)
      const manifest = toStdout
        ? await server.backUp({ ...settings, output: stdout as NodeJS.WritableStream as never })
        : await writeAndRename(path, (output) => server.backUp({ ...settings, output }))

      const { encryptionKey, encryptionKeyIds, tables, jobs, createTime, mortise } = manifest
      if (options.format !== 'text')
        printData(terminal, options.format, {
          file: path,
          bytes: (await stat(path)).size,
          createTime,
          mortise,
          tables: tables.map(({ name, rows }) => ({ name, rows })),
          jobs: jobs.rows,
          encryptionKeyIds,
          encryptionKey,
        })
      const rows = server.rowsOf(manifest).toLocaleString('en')
      stderr.write(`${err.green('backed up')}: ${rows} rows of ${tables.length} tables, ${jobs.rows} waiting jobs\n`)
      if (encryptionKey)
        stderr.write(
          `${err.yellow('warning')} The backup contains the encryption key: this file gives access to all secrets.\n`,
        )
      else
        stderr.write(
          printable(
            `The backup does not contain the encryption key ${encryptionKeyIds.join(', ')}. Store that key separately: the secrets cannot be decrypted without it.\n`,
          ),
        )
    })
}

/** A file appears under its name when it is whole and on disk, readable by its owner alone. */
async function writeAndRename<T>(
  path: string,
  write: (output: NodeJS.WritableStream & import('node:stream').Writable) => Promise<T>,
): Promise<T> {
  if (await stat(path).catch(() => undefined))
    throw new UsageError(`${path} already exists, and a backup overwrites no file. Name another file.`)
  const draft = `${path}.${process.pid}.partial`
  try {
    const result = await write(createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
    const handle = await open(draft)
    await handle.sync().finally(() => handle.close())
    await rename(draft, path)
    return result
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
