/** Names of the files that were written. */
export interface Assets {
  connect: string
  hosted: string
  /** Scripts with the texts of languages, by tag. */
  languages: Record<string, string>
  files: string[]
}
export declare function build(options: { outDir: string }): Promise<Assets>
/** Returns the paths of the files in `outDir`. */
export declare function buildForPackage(options: { outDir: string }): Promise<string[]>
