/** What a manifest may be called. */
export const manifestNames: [string, ...string[]] = ['mortise.yaml', 'mortise.yml', 'amp.yaml', 'amp.yml']

/** The argument of every command that takes a manifest. */
export const manifestArgument = [
  '[path]',
  `the manifest, a folder that has one (${manifestNames.join(', ')}), or - for standard input (default: the current folder)`,
] as const
