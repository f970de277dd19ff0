import type { Command } from 'commander'
import { type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type InstallationOptions, withInstallation } from '../installation/find-installation.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'

type Options = ServiceOptions & FormatOptions & InstallationOptions & { note?: string }

/** What `mortise pause` and `mortise resume` do: the endpoint, and the state that it leads to. */
export interface ReadsChange {
  endpoint: 'pauseReads' | 'unpauseReads'
  state: 'paused' | 'resumed'
}

/** Completes a command that pauses or resumes the reads of an installation, or of some of its objects. */
export function changesReads(command: Command, terminal: Terminal, { endpoint, state }: ReadsChange): void {
  withFormat(withService(withInstallation(command)))
    .argument('[objects...]', 'names of objects; all when absent')
    .option('--note <text>', 'a note for the log')
    .action(async (integrationId: string, objects: string[], { note, ...options }: Options) => {
      const { signal, stderr } = terminal
      const { findInstallation, requireInstallation } = await import('../installation/index.ts')
      requireInstallation(options)
      const { mortise } = await connectTo(options, terminal)
      const { id, group } = await findInstallation(mortise, integrationId, options, signal)
      const body = { ...(objects.length > 0 && { objects }), ...(note !== undefined && { note }) }
      await mortise[endpoint]({ integrationId, installationId: id, body }, { signal })
      if (options.format === 'text') {
        const what = objects.length > 0 ? objects.join(', ') : 'all scheduled reads'
        const done = `${state.charAt(0).toUpperCase()}${state.slice(1)}`
        stderr.write(printable(`${done} ${what} of ${integrationId} for ${group.groupRef}.\n`))
      } else printData(terminal, options.format, { installationId: id, groupRef: group.groupRef, ...body, state })
    })
}
