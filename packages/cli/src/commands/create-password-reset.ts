import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { memberOf } from '../resources/orgs.ts'
import { filters } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { org?: string }

export const addCreatePasswordReset: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('password-reset')))
    .description('Make a one-time link with which a member of the organization resets a forgotten password.')
    .argument('<who>', 'mail address or builder id of the member')
    .option('--org <org>', filters.org)
    .addHelpText(
      'after',
      '\nOnly an owner can do so. If the service sends mail, the link goes to the member by mail.\n\nExample:\n  mortise create password-reset ada@example.com',
    )
    .action(async (who: string, { org, ...options }: Options) => {
      const { mortise } = await connectTo(options, terminal)
      const { signal, stderr } = terminal
      const member = await memberOf({ mortise, signal, options: { ...(org !== undefined && { org }) } }, who)
      const reset = await mortise.createPasswordReset(member, { signal })
      printData(terminal, options.format, reset)
      stderr.write(
        printable(
          reset.mailed
            ? `The link was mailed to ${reset.email}. It works once, and for one hour.\n`
            : `Give the link to ${reset.email} only. It works once, and for one hour.\n`,
        ),
      )
    })
}
