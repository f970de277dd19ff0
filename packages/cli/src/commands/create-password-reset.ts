import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { type DatabaseOptions, settingsOf, withDatabase } from '../database-options.ts'
import { memberOf } from '../resources/orgs.ts'
import { filters } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { loadServer } from '../service/load-server.ts'
import { NotFound } from '../service/not-found.ts'
import { printable, printData } from '../terminal/print.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { UsageError } from '../usage-error.ts'

type Options = ServiceOptions & DatabaseOptions & FormatOptions & { org?: string; removeFactors?: boolean }

export const addCreatePasswordReset: AddCommand = (create, terminal) => {
  withFormat(withDatabase(withService(create.command('password-reset'))))
    .description('Create a one-time link to reset a forgotten password.')
    .argument('<who>', 'mail address or builder id of a member; with a database, the mail address of anyone')
    .option('--org <org>', filters.org)
    .option('--remove-factors', 'with a database: the link also removes the second factors of a person who lost them')
    .addHelpText(
      'after',
      '\nAn owner makes a link for a member of the organization. If the service sends mail, the link goes to the member by mail. ' +
        'Where the service runs, --data-dir or --database-url makes a link for anyone, without a sign-in.\n\n' +
        'Examples:\n  mortise create password-reset ada@example.com\n  mortise create password-reset ada@example.com --data-dir .mortise',
    )
    .action(async (who: string, options: Options) => {
      const hasDatabase = options.dataDir !== undefined || options.databaseUrl !== undefined
      if (options.removeFactors && !hasDatabase)
        throw new UsageError('--remove-factors needs --data-dir or --database-url.')
      const reset = await (hasDatabase ? inDatabase : asOwner)(who, options, terminal)
      printData(terminal, options.format, reset)
      const sentence = reset.mailed
        ? `The link was mailed to ${reset.email}. It works once, and for one hour.`
        : `Give the link to ${reset.email} only. It works once, and for one hour.`
      terminal.stderr.write(printable(`${sentence}\n`))
    })
}

async function asOwner(who: string, { org, ...options }: Options, terminal: Terminal) {
  const { mortise } = await connectTo(options, terminal)
  const { signal } = terminal
  const member = await memberOf({ mortise, signal, options: { ...(org !== undefined && { org }) } }, who)
  return await mortise.createPasswordReset(member, { signal })
}

async function inDatabase(email: string, options: Options, terminal: Terminal) {
  const server = await loadServer('create password-reset')
  const { removeFactors = false } = options
  try {
    return await server.createResetLink({ env: settingsOf(options, terminal), email, removeFactors })
  } catch (error) {
    throw error instanceof server.AccountNotFound ? new NotFound(error.message) : error
  }
}
