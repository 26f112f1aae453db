/** The languages in which `export` writes a Pulumi program. */
export const programLanguages = ["pulumi-yaml", "pulumi-typescript"] as const;

export type ProgramLanguage = (typeof programLanguages)[number];
