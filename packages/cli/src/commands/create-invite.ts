import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { orgOf } from '../resources/org-of.ts'
import { filters } from '../resources/resource.ts'
import { type Role, roleOption } from '../resources/roles.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { org?: string; role: Role }

export const addCreateInvite: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('invite')))
    .description('Invite a person to your organization, with a role.')
    .argument('<email>', 'email address of the person')
    .option('--org <org>', filters.org)
    .addOption(roleOption('role of the person').default('developer'))
    .addHelpText(
      'after',
      '\nSign in first: only owners can invite people. Without a mail server, the command prints the link to hand over.\n\n' +
        'Example:\n  mortise create invite ada@example.com --role operator',
    )
    .action(async (email: string, { org, role, ...options }: Options) => {
      const { signal, stdout, stderr } = terminal
      const { mortise } = await connectTo(options, terminal)
      const orgId = await orgOf({ mortise, signal, options: { ...(org !== undefined && { org }) } })
      const invite = await mortise.createOrgInvite({ orgId, body: { email, role } }, { signal })
      if (options.format !== 'text') return printData(terminal, options.format, invite)
      const { invitedEmail, link } = invite
      if (link === undefined) stderr.write(printable(`Mailed an invite to ${invitedEmail}. It expires in 14 days.\n`))
      else {
        stderr.write(printable(`Invited ${invitedEmail}. Give this link to them alone; it works once, for 14 days:\n`))
        stdout.write(printable(`${link}\n`))
      }
      stderr.write(`They join with the role ${role}.`)
      stderr.write(
        role === 'owner'
          ? '\n'
          : printable(` To change it later: mortise update builder ${invitedEmail} --role <role>\n`),
      )
    })
}
