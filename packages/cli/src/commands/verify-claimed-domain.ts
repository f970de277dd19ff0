import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { claimOf } from '../resources/claimed-domains.ts'
import { filters } from '../resources/resource.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { org?: string }

export const addVerifyClaimedDomain: AddCommand = (verify, terminal) => {
  withFormat(withService(verify.command('claimed-domain')))
    .description('Look up the DNS record of a claimed domain. The claim takes effect when it is found.')
    .argument('<domain>', 'the domain, or the id of its claim')
    .option('--org <org>', filters.org)
    .addHelpText('after', '\nExample:\n  mortise verify claimed-domain example.com')
    .action(async (domain: string, { org, ...options }: Options) => {
      const { mortise } = await connectTo(options, terminal)
      const { signal } = terminal
      const claim = await claimOf({ mortise, signal, options: { ...(org !== undefined && { org }) } }, domain)
      const { parentId: orgId, id: claimedDomainId } = claim
      printData(terminal, options.format, await mortise.verifyClaimedDomain({ orgId, claimedDomainId }, { signal }))
    })
}
