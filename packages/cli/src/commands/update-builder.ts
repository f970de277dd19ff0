import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { memberOf } from '../resources/orgs.ts'
import { filters } from '../resources/resource.ts'
import { type Role, roleOption } from '../resources/roles.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { role: Role; org?: string }

export const addUpdateBuilder: AddCommand = (update, terminal) => {
  withFormat(withService(update.command('builder')))
    .description('Change the role of a member of the organization.')
    .argument('<who>', 'mail address or builder id of the member')
    .addOption(roleOption('the new role').makeOptionMandatory())
    .option('--org <org>', filters.org)
    .addHelpText('after', '\nExample:\n  mortise update builder ada@example.com --role viewer')
    .action(async (who: string, { org, role, ...options }: Options) => {
      const { mortise } = await connectTo(options, terminal)
      const { signal } = terminal
      const member = await memberOf({ mortise, signal, options: { ...(org !== undefined && { org }) } }, who)
      const body = { updateMask: ['role'], builder: { role } }
      printData(terminal, options.format, await mortise.updateOrgBuilder({ ...member, body }, { signal }))
    })
}
