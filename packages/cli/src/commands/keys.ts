import { type AddCommand, type FormatOptions, withFormat } from '../command.ts'
import { type DatabaseOptions, settingsOf, withDatabase } from '../database-options.ts'
import { pluralize } from '../pluralize.ts'
import { loadServer } from '../service/load-server.ts'
import { printable, printData } from '../terminal/print.ts'
import { bar, createProgress } from '../terminal/progress.ts'

type Options = DatabaseOptions & FormatOptions

export const addKeys: AddCommand = (program, terminal) => {
  const keys = program
    .command('keys')
    .description('Show and rotate the encryption keys of the service.')
    .addHelpText('after', '\nExamples:\n  mortise keys status\n  mortise keys rotate')
  withFormat(withDatabase(keys.command('status')))
    .description('Show the encryption keys, how many values each has, and which nodes have them.')
    .addHelpText('after', '\nExample:\n  mortise keys status --data-dir .mortise')
    .action(async (options: Options) => {
      const server = await loadServer('keys status')
      const status = await server.readKeyStatus({ env: settingsOf(options, terminal) })
      if (options.format !== 'text') return printData(terminal, options.format, status)
      const { stdout, out } = terminal
      for (const { id, state, configured, values } of status.keys)
        stdout.write(
          printable(
            `${id}  ${state.padEnd(8)}  ${pluralize(values, 'value')}${configured ? '' : ', not configured here'}\n`,
          ),
        )
      for (const { node, keyIds, activeId } of status.nodes)
        stdout.write(
          `${out.bold('node')} ${printable(`${node} has ${keyIds.join(', ')} and encrypts with ${activeId}`)}\n`,
        )
      if (status.nodes.length === 0) stdout.write('No node runs.\n')
    })
  withFormat(withDatabase(keys.command('rotate')))
    .description('Change to the new encryption key, while the service runs.')
    .addHelpText(
      'after',
      '\nSet MORTISE_ENCRYPTION_KEY_NEXT on every node and here first. When it is stopped, run it again: it continues.\n\nExample:\n  mortise keys rotate --data-dir .mortise',
    )
    .action(async (options: Options) => {
      const { stderr, err, signal } = terminal
      const server = await loadServer('keys rotate')
      const line = createProgress(terminal)
      const rotated = await server
        .rotateKeys({
          env: settingsOf(options, terminal),
          signal,
          progress: (step, done, total) => line.show(`${bar(done, total)}${titles[step]} ${done} of ${total}`),
        })
        .finally(() => line.end())
      if (options.format !== 'text') printData(terminal, options.format, rotated)
      const { activeId, retiredIds, rewrapped } = rotated
      stderr.write(`${err.green('rotated')}: ${pluralize(rewrapped, 'value')} rewrapped; ${activeId} encrypts.\n`)
      stderr.write(
        printable(
          `The key ${retiredIds.join(', ')} is retired. Set MORTISE_ENCRYPTION_KEY to the new key, remove MORTISE_ENCRYPTION_KEY_NEXT, and restart the nodes. ` +
            'Keep the old key for as long as you keep backups from before.\n',
        ),
      )
    })
}

const titles = { promote: 'waiting for nodes', rewrap: 'rewrapping', retire: 'retiring the old key' }
