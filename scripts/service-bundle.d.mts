export declare function bundleFolder(root: string): string
export declare function serviceProgram(root: string): string
