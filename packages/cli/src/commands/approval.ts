import type { Output } from '@mortise/client'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

type Options = ServiceOptions & FormatOptions & { comment?: string }

const verbs = {
  approve: 'Approve a call of an agent, and run it once with the stored arguments.',
  refuse: 'Refuse a call of an agent. Nothing changes in the account.',
}

export const addApproval: AddCommand = (program, terminal) => {
  const approval = program
    .command('approval')
    .description('Approve or refuse calls of agents.')
    .addHelpText(
      'after',
      '\nExample:\n  mortise approval approve 0198c0de-0000-7000-8000-000000000000\n\nTo see them: mortise list approvals, mortise get approval',
    )
  for (const verb of ['approve', 'refuse'] as const)
    withFormat(withService(approval.command(verb)))
      .description(verbs[verb])
      .argument('<approval>', 'id of the approval')
      .option('--comment <text>', 'why; the agent of a refused call gets it')
      .addHelpText('after', `\nExample:\n  mortise approval ${verb} 0198c0de-0000-7000-8000-000000000000`)
      .action(async (approvalId: string, { comment, ...options }: Options) => {
        const { signal } = terminal
        const { mortise } = await connectTo(options, terminal)
        const request = { approvalId, body: comment === undefined ? {} : { comment } }
        const decided: Output<'approveCall'> =
          verb === 'approve'
            ? await mortise.approveCall(request, { signal })
            : await mortise.refuseCall(request, { signal })
        printData(terminal, options.format, decided)
      })
}
