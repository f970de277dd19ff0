import type { Output } from '@mortise/client'
import type { Terminal } from '../terminal/terminal.ts'

/** The project that commands work in after a sign-in; undefined leaves it to `--project`. */
export async function chooseProject(
  { projectRoles }: Output<'getMyInfo'>,
  terminal: Terminal,
): Promise<string | undefined> {
  const names = Object.values(projectRoles)
    .map(({ project }) => project.name)
    .sort()
  if (names.length <= 1) return names[0]
  if (terminal.interactive)
    return await terminal.ask.select(
      'Which project do you work in?',
      names.map((value) => ({ value })),
      names.includes('default') ? { initial: 'default' } : {},
    )
  return names.includes('default') ? 'default' : undefined
}
