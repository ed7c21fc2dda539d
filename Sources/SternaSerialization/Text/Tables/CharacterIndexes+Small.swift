// Made by scripts/character-tables of the index files of the Encoding Standard, https://encoding.spec.whatwg.org,
// commit a985b62 of 2026-05-21. Copyright © WHATWG (Apple, Google, Mozilla, Microsoft), licensed under
// CC BY 4.0; portions incorporated into source code, as this one, under the BSD 3-Clause License.

extension CharacterIndexes {
    /// The first pointer of each row of index gb18030 ranges.
    static let gb18030RangePointers: StaticString = #"""
        (kH*/-kC0.G,+H,9/7@+,El+MDk{7l.G5m%G/Gk[6GUDU*G*/1H-l9kzG+42kb,>*l7.G+,**H*--2+-5*.kI+3Akvn`2l-,5+2800+*:kC*kZGT
        hb*+*27*+,*+6n8,G-*<*/*-.md/l:mX4*kF1**l:kOn=l83sIkyl)6l\mHn2l:tfmvp4l=,kOmfo-<m/-kv8oqkV*,G<+>rfkKl8l]kuV:&H5G-
        /,,0/86U%ckpCku1BH+.G*vAG,Il^lJQ:nx
        """#

    /// The first code point of each row of index gb18030 ranges.
    static let gb18030RangeScalars: StaticString = #"""
        lIkI,1.kD21+.,+*-:08A,-Fl,*******Ek|8l/,6m60@0k\kr*UDV.+,12+*.l:k{*,53kn6B.l8/*,-.+*.+1.3,.7.0kJ,4BkwnjkVlykLD.4
        :22,,>kE+k[*Thc+,,38+,-,,7nD0</3=ky3k|0kOmn0l;mZ7+kG2,+l;kPn>l94sJkzl+7l]mIn3l;tgmwp5l>-kPmgo.=m0.kw9orkW+.+=,@r
        gkPl?l^Q(y/VeIl%kCkR,.0..10:7U%dkqDkv2F*+,1+-vC;6-7-malPB
        """#

    /// Index ISO-2022-JP katakana: U+FF61 to U+FF9F in full width.
    static let katakana: StaticString = #"""
        U}V2Gjsmhjvj.****k^**j[k]j%****G***********+***K+++++J***K*,j'G
        """#

    /// The indexes of ``CharacterTable/singleByteNames``, 128 pointers each.
    static let singleByte: StaticString = #"""
        vKOJUT9HiIkFkaGjs'6jm..''j4,kDjwjojck`kFGjzjy=%jyjoDjzG$Gjs'jyG@'j-jslE$0,joSN{O*j1ktj2ktj2ktj6kt`_UTPSNYUTJh1SQ
        8U^USDIj_O;l-p1fTi=lbEi'Gm&&.=him>&hjkyp3fRiLlSEo$e7lr&.=nvg1&jWiGGkdjAl>jLj@kij<ksj2ksj2Gkd*kW,ifGlEi`GlJ>iFl_i
        FGlNiWl?ifGkEj`kzjLj_kJj[kTjQkTjQGkE*kW,j*Gl&j$Gl+>iel@ieGl/o.dHO;lOojdlGP$%lIi]GlQkRj?>iSP$%m<hjl@ieIl9ilGlBkRj
        ?>ibP$%m-hyHP$%*kj&j>NP$%*Ikpj5Gkij<IlYjoi]IP$%*kK&j]NP$%*IkQjTGkJj[Il:joo4dHO;l-kXFi(lM;iFGm&j18khh|m>hgGkyp3fg
        i7l>;oCe7lrj18khjbkXjLj4j@Kl1j]j<ksj2koj6Gl%jekY/jiixJlciBHlU*iOkFj_Kkmj]j[kTjQkPjUGkajekY/jij<JlDiaHl6*o&dHO;tR
        O&aStRO\UGMS[WO&`XuMG`.O;P$',P$+z7[uP$1z=P$',P$%*O4P$).O-P$1Z]O;UO&GSS~UP\+SRFIrxc-HP$%UNqST4IrxHc-rxHc-rxc-rxO.
        P$%*OFP$%adO;P$%*MkRjSO)kbjCIP$DUNbSbXO5P$&U@'GP$%SSeO;l-680&6iKl]jTkt.?hem+j_i@ky680&6iZlNjTkt.?ULVSV9j_j4j@Kl1
        j]j<ksj2koj6Il>/iaIl[iJlciBKkFj_Kkmj]j[kTjQkPjUIkz/j%Il<iilDiaJk^h}O;UO+SSyHUO(SS|GkUjPlvi/I@jiIUNrST2Hkej@lgi>I
        kLFkNjQ.j=Gkwjyjyj<lyiw4<js9kIjb*ihlBicHldjNA8iLlh*i<kJkNjQ.j\GkXjyjyj[lZiw4<js9kIjb*j,k~j'HlEjNA8iklI*ULZSS[O;U
        I2GSYrl0GUH*SYoUJNSXVUJNicmUSWCGm8UG,GSZxGUHJGSYGUIpkOjUkPj\l\ikGj[SY1O*lni7KUIdSY@KlbiCO+lOiVKUIESY_KlCibi[O>UP
        \SRHm)h|m(h}O%m8hmHm5hpHl`GkIh|O[i[O;l-Gk`UNtiLSV%h|m(h}o'f~m<him;GhjGl$kZk_UL_ST2Gm5iimzg2l`GkI,hyHkdjAkfj?O$ke
        kWiiHlEi`lM>iCIk`mpgUIkEj`kGj^O$kFkWj-Hl&j$l.>ibIEmpgtU[k*2,,,,0000kh,,,,Id.r'a+GkRDGSMQUWWSK[*-kdU\hHSO_USDO)SN
        [UTHO%SE+u;jaG=jmG7jn:jrM8jpIjr$B'jk9-$&+jcjaG=jmG7jn:jrM8jpIjr$B'jk9-$&+URs*2,,,,0000kh,,,,Id.r'a+GkRDGSMQUWWSK
        [*-kdU\hHSO_+USBSObGUSBJSP;jLUSBISN[+UTFSN^GUTFJSP+iXaMu;jaG=jmG7jn:jrM8jpIjr$B'jk9-$&+jcjaG=jmG7jn:jrM8jpIjr$B'
        jk9-$&+aLG**0-.-'**'***'*G*'*G**'**'-'*GUN-ST)jqG,UO)ST-kMjNjzUQqSQ<jsUUDSM|:UT-SNNUU?GSMV8UT47&SW9UL*SN:8s;c9:j
        Fja3UTUSP}URSj=SN`8UNtSSnkD+:lFGUM$G0GjzGSTwU^,SD~lBUM0l1igGQ+i/GQ$~GST/UNl,:ST+0jv2%-H%/GQ+cOQ$&@0G&k|oM>dtq+He
        $q'&jkUJZSR$IUOPSSTO%UO6G+G-jpGSSxNTw0OTP$(-O7P$(U*&SR$UOGSS]UOI0jyGSS[UOVSUnUM=SU_2A$hLUO6G+G-jpGSSxUR'SS3UM=SU
        _2A$h[q)9fTi=l)i|Il~i'Im;hjGq,fRiLJkqk~i6lKoXfLkbjWiGGkdjAl>jLj@kij<ksj2ksj2Gkd*kW,ifGlEi`GlJ>iFl_iFGlNiWl?ifGkE
        j`kzjLj_kJj[kTjQkTjQGkE*kW,j*Gl&j$Gl+>iel@ieGl/o.n<GUESS^DUDb0jyGlTi^S]?UElS]7*',kgUD]G+G-jpGSSxUR'S[SUDxS^+*',`
        Nt_ktj)aNv'_~GtKaZtLaYItJa[GtFktk_`1Hu0UGKS[Z`tu3j,kt*j8OZUF>SR$UOGSV[ULK0jyGSYwUI:SUnUM=SUWhpm^hGGUO6G+G-jpGSZ?
        UK`SS3UM=SUWi$mOjyh]OzUO[SR$UOGSV[ULK0jyGSS[UOVSSNUO]SSGJUO6G+G-jpGSSxUR'SP}UONSSVJs1GbtLP$%*IUNpST4Irxc-HrxHc-r
        xc-rxO.P$%*OFP$%UGdSR$UOGSV[ULK0jyGSYwUI:SUnUM=SUWhpIUO6G+G-jpGSZ?UK`SS3UM=SUWi$GmHh]OJksj2O&kxkRi[O+kTjQO&kYkRi
        zUO[SR$UOGSV[ULK0jyGSYwUI:SSNUO]SSGJUO6G+G-jpGSZ?UK`SP}UONSSVMUPZSRJJkRjSO)kbjCJxvO.kQJP$+j[O5P$&U@'GP$%lfSbqU>U
        SV[ULK0jyGSYwUI:Sd2U>ySUWy^:jokKU=}G+G-jpGSd~U@|SaiU>bSUWULxGSe;Ypz;[jM|.YwO)z1[tIz0lki:O0[uz/I.I[qz3[rz2I[sJz-G
        [xGz+I[zz*G[{z)[|z([}GUMvGSeQU?8SR$UOGSS]UOI0jyGSS[UOVSSNUO]SSGDp|e7jWUO6G+G-jpGSSxUR'SP}UONSSV;q.deGP$%*HP$%*Gk
        UjPlvi/I@jiMkej@lgi>IkLFkNjQ.j=Gkwjyjyj<lyiw4<js9kIjb*ihlBicHldjNA8iLlh*i<kJkNjQ.j\GkXjyjyj[lZiw4<js9kIjb*j,k~j'
        HlEjNA8iklI*nnUJHSR$UOGSV[ULK0jyGSYwUI:SSNUO]SUWhpIUO6G+G-jpGSZ?UK`SP}UONSUWi$GmHh]O=kdjAMq7dnHkej@q:dkGm:hkLmAn
        gd}IkEj`Mpse2HkFj_q4dqGlvi/Ll}UM_SSHs]O:UE-ST)uv_{,UO)ST-tAaZjzUQqSZWktUK(SW+ktUJ@SNNUU?GSWy`luriQ$ktj2ktj1ktj0k
        t&j,aYUTUSP}URSj=SN`8UNtSSnt\ktj0ktjxUDUG0GjzGSTwUN0S]Vktj0ktUG=SZbkt&j`O9UF?
        """#
}
