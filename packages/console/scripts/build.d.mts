/** What the service needs to know of the built console. Names are paths below the folder. */
export interface BuiltConsole {
  entry: string
  css: string[]
  preload: string[]
  files: string[]
}

/** Builds the scripts and styles of the console into a folder. */
export function build(options: { outDir: string }): Promise<BuiltConsole>
