// Ids that the examples of the help are written with.

export const REQUISITE_ID = "019a3f00-0000-7000-8000-000000000001";
export const SHOP_ID = "019a3f00-0000-7000-8000-000000000002";
export const ID = "019a3f00-0000-7000-8000-000000000003";
