import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { proofText } from '../resources/claimed-domains.ts'
import { orgOf } from '../resources/org-of.ts'
import { filters } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printable, printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { org?: string }

export const addCreateClaimedDomain: AddCommand = (create, terminal) => {
  withFormat(withService(create.command('claimed-domain')))
    .description('Claim the mail domain of your organization, and show the DNS record that proves it.')
    .argument('<domain>', 'the domain, such as example.com')
    .option('--org <org>', filters.org)
    .addHelpText('after', '\nExample:\n  mortise create claimed-domain example.com')
    .action(async (domain: string, { org, ...options }: Options) => {
      const { mortise } = await connectTo(options, terminal)
      const { signal, stderr } = terminal
      const parentId = await orgOf({ mortise, signal, options: { ...(org !== undefined && { org }) } })
      const claim = await mortise.claimDomain({ body: { domain, parentType: 'org', parentId } }, { signal })
      printData(terminal, options.format, claim)
      stderr.write(`\n${proofText(claim).replace(/[^\n]+/g, printable)}`)
    })
}
