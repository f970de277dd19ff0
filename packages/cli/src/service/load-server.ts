/**
 * Loads the service, for commands that work on its database. It is not a dependency of the command: it is installed
 * where the service runs.
 */
export async function loadServer(command: string): Promise<typeof import('@mortise/server')> {
  try {
    return await import('@mortise/server')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND' || !/@mortise\/server/.test(String(error)))
      throw error
    throw new Error(
      `mortise ${command} works on the database and needs the service, which is not installed with this command. ` +
        'Run it where the service runs: in a checkout, node packages/cli/bin/mortise.mjs.',
    )
  }
}
