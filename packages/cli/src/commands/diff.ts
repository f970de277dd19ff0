import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { manifestArgument } from '../manifest/manifest-names.ts'
import { connectTo } from '../service/connect.ts'
import { printData } from '../terminal/print.ts'

interface Options extends ServiceOptions, FormatOptions {
  strict: boolean
  exitCode?: boolean
}

export const addDiff: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('diff')))
    .description('Show what a deploy would change, and for which customers.')
    .argument(...manifestArgument)
    .option('--strict', 'count what cannot work as an error', true)
    .option('--no-strict', 'count it as a warning')
    .option('--exit-code', 'end with 1 when a deploy would change something')
    .addHelpText('after', '\nExample:\n  mortise diff --exit-code')
    .action(async (path: string | undefined, options: Options) => {
      const manifest = await import('../manifest/index.ts')
      const file = await manifest.readManifestFile(path, terminal)
      const { mortise } = await connectTo(options, terminal)
      const { findings, plan } = await manifest.planDeploy(mortise, file, { ...options, signal: terminal.signal })
      if (!plan) {
        manifest.printFindings(terminal, options.format, file, findings)
        throw new Exit(exitCodes.invalid)
      }
      if (options.format !== 'text')
        printData(terminal, options.format, { ...plan, ...manifest.findingsData(file, findings) })
      else {
        terminal.stdout.write(manifest.planText(plan, terminal.out))
        if (!plan.changed) terminal.stderr.write('A deploy would change nothing.\n')
        manifest.mentionFindings(terminal, file, findings)
      }
      if (options.exitCode && plan.changed) throw new Exit(exitCodes.failed)
    })
}
