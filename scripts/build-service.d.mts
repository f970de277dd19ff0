export declare function buildService(root: string): Promise<string | undefined>
