import { resolve } from 'node:path'
import { type AddCommand, type FormatOptions, type ServiceOptions, withFormat, withService } from '../command.ts'
import { Exit } from '../exit.ts'
import { exitCodes } from '../exit-codes.ts'
import { connectAs } from '../service/connect.ts'
import { readSettings } from '../service/settings.ts'
import { printable, printData } from '../terminal/print.ts'

export const addDoctor: AddCommand = (program, terminal) => {
  withFormat(withService(program.command('doctor')))
    .description('Find problems on this computer and at the service, and say what to do.')
    .addHelpText('after', '\nExample:\n  mortise doctor --format json')
    .action(async (options: ServiceOptions & FormatOptions) => {
      const { examine } = await import('../doctor/index.ts')
      const { stdout, out, env, cwd } = terminal
      const settings = await readSettings(options, terminal)
      const mortise = settings.credential && connectAs(settings.credential, settings, terminal)
      const dataDir = resolve(cwd, env['MORTISE_DATA_DIR'] ?? '.mortise')
      const marks = { ok: out.green('✓'), warning: out.yellow('!'), failed: out.red('✗') }
      const findings = []
      for await (const finding of examine({ terminal, settings, mortise, dataDir })) {
        findings.push(finding)
        if (options.format !== 'text') continue
        const { check, status, detail, remedy } = finding
        stdout.write(`${marks[status]} ${out.bold(check)}: ${printable(detail)}\n`)
        if (remedy) stdout.write(`  ${printable(remedy)}\n`)
      }
      const wrong = findings.filter(({ status }) => status !== 'ok').length
      if (options.format !== 'text') printData(terminal, options.format, { healthy: wrong === 0, findings })
      if (wrong > 0) throw new Exit(exitCodes.failed)
    })
}
